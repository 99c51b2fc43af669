"""Minimum error rate training: envelopes of lines, exact searches along them, climbs from many starts, and penalties."""

from app.smt.tuning.mert.search import MERT, usual_restarts

__all__ = ["MERT", "usual_restarts"]
