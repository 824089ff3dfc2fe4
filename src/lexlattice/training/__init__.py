"""Training: prepared data, targets, losses, the training loop and the trainable models. Needs PyTorch."""
