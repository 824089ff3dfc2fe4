"""Drafting conventions of the 24 languages: one TOML file each, and the code that compiles and applies them."""
