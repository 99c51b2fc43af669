"""Minimum error rate training: envelopes of lines, exact line searches, random restarts, and penalties."""

from app.smt.tuning.mert.search import MERT, usual_restarts

__all__ = ["MERT", "usual_restarts"]
