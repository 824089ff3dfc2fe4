"""Expected coverage: the word model and the decoder of 0.1, which chose by the words that a summary would have."""
