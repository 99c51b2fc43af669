"""Lines and columns of texts in their files."""

from bisect import bisect_right

__all__ = ["Places"]


class Places:
    """Lines and columns of characters in a text, from 1."""

    def __init__(self, text: str) -> None:
        self._begins = [0]
        self._begins.extend(at + 1 for at, character in enumerate(text) if character == "\n")

    def of(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Line and column of the first of the characters `[start, end)`, and those behind the last."""
        return *self._of(start), *self._of(end)

    def _of(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._begins, at)
        return line, at - self._begins[line - 1] + 1
