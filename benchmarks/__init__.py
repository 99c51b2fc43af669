"""Speed and accuracy, beside the peers, in one run each."""
