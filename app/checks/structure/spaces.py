"""Blanks at the ends of a text, and its line breaks."""

from app.checks.structure.check import Finding, Texts

__all__ = ["Spaces"]


class Spaces:
    """A blank at one end on one side alone, or another number of lines. Programs join such texts to others."""

    code = "spaces"
    meaning = "a blank at an end or a line break is missing or added"

    def find(self, texts: Texts) -> Finding | None:
        """The ends of the translation that differ. O(length)."""
        ends = [(text[:1].isspace(), text[-1:].isspace(), text.strip().count("\n")) for text in (texts.source, texts.translation)]
        return None if ends[0] == ends[1] else Finding([], [], "info")
