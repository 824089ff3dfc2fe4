"""What says how good an extract is: ROUGE, and whether a difference means anything."""
