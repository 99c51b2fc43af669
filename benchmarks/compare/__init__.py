"""Speed of two commits, measured in turns on one machine."""
