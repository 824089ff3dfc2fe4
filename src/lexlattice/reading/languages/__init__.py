"""What the reader knows of each of the 24 languages: a TOML file each, and the code that compiles it."""
