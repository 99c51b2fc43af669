"""Checks of structure: stretches that programs read must survive a translation."""

from app.checks.structure.catalogue import OF_SIGNS, OF_TEXTS, STRUCTURE
from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, without_marks

__all__ = ["OF_SIGNS", "OF_TEXTS", "STRUCTURE", "Finding", "Mark", "Texts", "without_marks"]
