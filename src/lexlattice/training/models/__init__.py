"""The trainable models: the shipped network and the paper's, in PyTorch."""
