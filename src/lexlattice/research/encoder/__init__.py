"""The embedded encoder, trained from the data folder: texts in, weights and a model card out."""
