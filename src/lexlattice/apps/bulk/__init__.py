"""Bulk runs: the same task on any number of acts, resumable, each act processed exactly once."""
