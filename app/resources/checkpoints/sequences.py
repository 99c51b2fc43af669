"""Texts as the sequences of tokens of a model's training: special tokens around them, and their lengths."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from app.resources.checkpoints.card import CheckpointCard

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Sequences"]

Tokens = tuple[list[int], list[int], bool]


class Sequences:
    """Each method returns tokens, their kinds, and True where a text was cut."""

    def __init__(self, card: CheckpointCard, tokeniser: "Tokenizer") -> None:
        self._card: Final = card
        self._tokeniser: Any = tokeniser

    def single(self, text: str) -> Tokens:
        """One text alone."""
        tokens = self._tokens(text)
        room = self._card.longest_part - 2
        cut = tokens[:room]
        sequence = [self._card.begin, *cut, self._card.end]
        return sequence, [0] * len(sequence), len(tokens) > room

    def joined(self, texts: Sequence[str]) -> Tokens:
        """Texts joined as in COMET: each cut alone, then all together, without padding in the texts."""
        card = self._card
        parts = [self.single(text) for text in texts]
        sequence = [card.begin]
        for index, (tokens, _, _) in enumerate(parts):
            sequence += [card.end] * (card.separators - 1 if index else 0)
            sequence += [token for token in tokens[1:-1] if token != card.pad] + [card.end]
        first = 1 + sum(token != card.pad for token in parts[0][0][1:-1]) + 1
        cut = any(part[2] for part in parts) or len(sequence) > card.longest
        sequence = sequence[: card.longest]
        kinds = [0 if index < first or not card.two_kinds else 1 for index in range(len(sequence))]
        return sequence, kinds, cut

    def pair(self, first: str, second: str, second_optional: bool) -> Tokens:
        """Two texts, the longer one cut token by token; an empty second text leaves no trace where it is optional."""
        card = self._card
        first_tokens, second_tokens = self._tokens(first), self._tokens(second)
        count = len(first_tokens) + len(second_tokens)
        if second_optional and not second:
            first_tokens = first_tokens[: card.longest - 1 - card.separators]
            sequence = [card.begin, *first_tokens, card.end]
            return sequence, [0] * len(sequence), len(first_tokens) < count
        first_length, second_length = _shortened(len(first_tokens), len(second_tokens), card.longest - 2 - card.separators)
        begin = [card.begin, *first_tokens[:first_length], card.end]
        end = [*[card.end] * (card.separators - 1), *second_tokens[:second_length], card.end]
        kinds = [0] * len(begin) + [int(card.two_kinds)] * len(end)
        return begin + end, kinds, first_length + second_length < count

    def bare(self, text: str) -> Tokens:
        """One text without special tokens, one token shorter than the longest sequence."""
        tokens = self._tokens(text)
        cut = tokens[: self._card.longest - 1]
        return cut, [0] * len(cut), len(cut) < len(tokens)

    def _tokens(self, text: str) -> list[int]:
        # tokenizers refuses halves of surrogate pairs.
        valid_text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        tokens: list[int] = self._tokeniser.encode(valid_text, add_special_tokens=False).ids
        return tokens


def _shortened(first: int, second: int, room: int) -> tuple[int, int]:
    """Lengths that fit the room; the longer text, or the second of equal ones, loses a token at a time."""
    excess = max(first + second - room, 0)
    of_longer = min(excess, abs(first - second))
    rest = excess - of_longer
    if first > second:
        return first - of_longer - rest // 2, second - (rest + 1) // 2
    return first - rest // 2, second - of_longer - (rest + 1) // 2
