"""Whole corpora: the same work on any number of acts, done once each, however often the machine dies in between."""
