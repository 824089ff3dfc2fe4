"""Helpers that know nothing about law: atomic files, shards, worker processes, threads, imports, weight files."""
