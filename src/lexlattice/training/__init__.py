"""Learning what to select, beginning with what is to be learnt. The one room where PyTorch may be imported."""
