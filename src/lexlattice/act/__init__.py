"""The document model: `Act` with its sections and units, and `Summary` with its items."""
