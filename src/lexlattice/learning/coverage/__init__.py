"""How the research system `coverage` is trained: its network, what is drawn through its decoder, its trainee."""
