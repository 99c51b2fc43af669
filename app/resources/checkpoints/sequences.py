"""Texts as the sequences of tokens that a model was trained on: what stands around them, and where they are cut."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from app.resources.checkpoints.card import CheckpointCard

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Sequences"]

Tokens = tuple[list[int], list[int], bool]


class Sequences:
    """Each method gives tokens, their kinds, and whether something was cut."""

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
        """Texts one after the other as COMET joins them: each cut alone, then all together; without padding somebody wrote."""
        card = self._card
        parts = [self.single(text) for text in texts]
        sequence = [card.begin]
        for place, (tokens, _, _) in enumerate(parts):
            between = card.separators if place else 0
            sequence += [card.end] * (between - 1 if place else 0)
            sequence += [token for token in tokens[1:-1] if token != card.pad] + [card.end]
        first = 1 + sum(token != card.pad for token in parts[0][0][1:-1]) + 1
        cut = any(part[2] for part in parts) or len(sequence) > card.longest
        sequence = sequence[: card.longest]
        kinds = [0 if place < first or not card.two_kinds else 1 for place in range(len(sequence))]
        return sequence, kinds, cut

    def pair(self, first: str, second: str, second_may_lack: bool) -> Tokens:
        """Two texts, of which the longer one is cut token by token; where the second one is empty it may be left out whole."""
        card = self._card
        ours, theirs = self._tokens(first), self._tokens(second)
        whole = len(ours) + len(theirs)
        if second_may_lack and not second:
            ours = ours[: card.longest - 1 - card.separators]
            sequence = [card.begin, *ours, card.end]
            return sequence, [0] * len(sequence), len(ours) < whole
        first_length, second_length = _shortened(len(ours), len(theirs), card.longest - 2 - card.separators)
        begin = [card.begin, *ours[:first_length], card.end]
        end = [*[card.end] * (card.separators - 1), *theirs[:second_length], card.end]
        kinds = [0] * len(begin) + [int(card.two_kinds)] * len(end)
        return begin + end, kinds, first_length + second_length < whole

    def bare(self, text: str) -> Tokens:
        """One text, cut where an end would have room, and nothing around it."""
        tokens = self._tokens(text)
        cut = tokens[: self._card.longest - 1]
        return cut, [0] * len(cut), len(cut) < len(tokens)

    def _tokens(self, text: str) -> list[int]:
        # A half of a surrogate pair is no text that tokenizers take.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        tokens: list[int] = self._tokeniser.encode(whole, add_special_tokens=False).ids
        return tokens


def _shortened(first: int, second: int, room: int) -> tuple[int, int]:
    """Lengths after the longer of two, the second where they are equal, gave a token again and again until both have room."""
    excess = max(first + second - room, 0)
    of_longer = min(excess, abs(first - second))
    rest = excess - of_longer
    if first > second:
        return first - of_longer - rest // 2, second - (rest + 1) // 2
    return first - rest // 2, second - of_longer - (rest + 1) // 2
