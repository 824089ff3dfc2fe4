"""Classical summarizers, to be compared with at equal length."""
