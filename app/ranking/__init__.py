"""Many candidates into one order: the best translation of each segment and the standing of each system."""

from app.ranking.system_selection import Ranking, SegmentRanking, SystemStanding, rank_systems

__all__ = ["Ranking", "SegmentRanking", "SystemStanding", "rank_systems"]
