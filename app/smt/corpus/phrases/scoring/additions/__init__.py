"""What tables of phrases have beside the four scores: declarations of it, and what they are computed from."""
