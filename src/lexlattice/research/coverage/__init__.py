"""The research system `coverage`: it predicts the words of a summary, and selects the units that cover them."""
