"""Metrics: ROUGE, BERTScore, and the significance of differences."""
