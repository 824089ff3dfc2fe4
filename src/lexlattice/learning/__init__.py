"""Learning what to select: targets, losses, training. The one room where PyTorch may be imported."""
