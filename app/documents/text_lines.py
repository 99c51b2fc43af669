"""Lines of a text in memory, one at a time with their positions; a list of all lines could be far larger than the text."""

from collections.abc import Iterator

__all__ = ["TextLines"]


class TextLines(Iterator[str]):
    r"""Lines between ``\n``; the last may be empty. `text[begin:end]` is the latest line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0
        self.begin = self.end = 0

    def __next__(self) -> str:
        if self._next > len(self._text):
            raise StopIteration
        end = self._text.find("\n", self._next)
        self.begin, self.end = self._next, len(self._text) if end < 0 else end
        self._next = self.end + 1
        return self._text[self.begin : self.end]
