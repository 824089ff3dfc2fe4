"""Helpers without any knowledge of law: atomic files, processes, threads, imports, weight files."""
