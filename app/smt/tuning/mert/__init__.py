"""Minimum error rate training: envelopes of lines, exact line searches, random restarts, and penalties."""
