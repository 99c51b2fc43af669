"""A guard before any model: warnings that invalidate a score, from two texts and their languages."""

from app.checks.guard.guard import guard, is_blank, left_by_programs

__all__ = ["guard", "is_blank", "left_by_programs"]
