"""What tuning is worth: runs of several seeds, learning curves, and metrics against one another."""
