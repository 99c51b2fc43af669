"""Estimates of the work of a request before it starts: pairs of characters that are compared."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final

from app.metrics import Significance
from app.metrics.registry import NEURAL
from app.text.tokenisation import MOST_TOKENS

__all__ = [
    "HEAVY",
    "neural_count",
    "work_of_checkpoints",
    "work_of_explanations",
    "work_of_lists",
    "work_of_neural",
    "work_of_orders",
    "work_of_pairs",
    "work_of_readings",
    "work_of_tests",
    "work_of_translating",
]

# Work of a tenth of a second, or 25 segments of 250 characters. Heavier requests have threads of their own, so that small
# requests always find one.
HEAVY: Final = 100_000_000
# Features take this many times as long as a metric for a pair of texts. They read at most this many characters: a token is rarely
# shorter than a character and a blank.
WORK_OF_FEATURES: Final = 50
READ_CHARACTERS: Final = 2 * MOST_TOKENS
# Parts of speech and trees, and a cross-encoder, take so long for each character of a text, with one thread. The cross-encoder
# looks at 512 pieces of both texts; in alphabets with three bytes per character, a character is half a piece or more.
WORK_OF_TAGS: Final = 15_000
WORK_OF_READING: Final = 60_000
# To explain a prediction is to make some hundreds of them.
WORK_OF_EXPLANATION: Final = 25_000_000
# An encoder of 24 layers takes a third of a millisecond for a character's tokens, and looks at no more of a text than so much.
WORK_OF_CHARACTER: Final = 300_000
LOOKED_AT_BY_ENCODERS: Final = 4096
# A phrase-based system takes so long for a word with stacks of 100, with looking up what it can use. A hypothesis of a list takes
# little time and much room in an answer.
WORK_OF_WORD: Final = 5_000_000
WORK_OF_HYPOTHESIS: Final = 1_000_000
BLANKS: Final = re.compile(r"[\x00-\x20]++")
# To add up a segment's statistics in one draw of a test; and to score a draw, in segments.
WORK_OF_DRAW: Final = 2
WORK_OF_SCORE: Final = 200


def work_of_pairs(pairs: Iterable[tuple[str, str]]) -> int:
    """The work of features of sources and translations, without those of networks."""
    lengths = [(min(len(source), READ_CHARACTERS), min(len(translation), READ_CHARACTERS)) for source, translation in pairs]
    return sum(WORK_OF_FEATURES * source * translation + WORK_OF_TAGS * (source + translation) for source, translation in lengths)


def work_of_readings(pairs: Iterable[tuple[str, str]]) -> int:
    """The work of a cross-encoder on sources and translations; equal pairs are read once."""
    return WORK_OF_READING * sum(
        min(sum(max(len(text), len(text.encode(errors="replace")) // 2) for text in pair), READ_CHARACTERS) for pair in set(pairs)
    )


def work_of_checkpoints(count: int, texts: Iterable[str]) -> int:
    """Work of scores by `count` checkpoints, whose networks read all texts."""
    return WORK_OF_CHARACTER * count * sum(min(len(text), LOOKED_AT_BY_ENCODERS) for text in texts) if count else 0


def work_of_explanations(segments: int) -> int:
    """Work of explaining the predictions of `segments` by their features."""
    return WORK_OF_EXPLANATION * segments


def work_of_lists(metrics: int, systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]]) -> int:
    """The work of so many metrics of every system against every reference."""
    system_sizes, reference_sizes = (
        [sum(map(len, texts)) for texts in zip_longest(*lists.values(), fillvalue="")] for lists in (systems, references)
    )
    return metrics * sum(
        system_size * reference_size for system_size, reference_size in zip(system_sizes, reference_sizes, strict=False)
    )


def neural_count(metrics: Sequence[str]) -> int:
    """Number of neural metrics among these."""
    return sum(name.startswith(f"{NEURAL}:") for name in metrics)


def work_of_neural(
    metrics: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str]],
    sources: Sequence[str] | None,
) -> int:
    """The work of the neural ones of these metrics, beyond that of any metric: each text goes through a network."""
    count = neural_count(metrics)
    if not count:
        return 0
    system_work, reference_work = (
        work_of_checkpoints(count, chain.from_iterable(lists))
        for lists in (systems.values(), [*references.values(), *([] if sources is None else [sources])])
    )
    return system_work + reference_work * len(systems)


def work_of_translating(texts: Iterable[str], effort: float, hypotheses: int = 0, tokenise: bool = False) -> int:
    """The work of translating texts by a system whose words take `effort`, each with a list of so many hypotheses.

    Text that is tokenised first may become a word of any two characters. Longer sentences than features look at are not translated.
    """
    lengths = [min(len(text) // 2 + 1 if tokenise else len(BLANKS.findall(text)) + 1, MOST_TOKENS) for text in texts]
    return int(WORK_OF_WORD * effort * sum(lengths)) + WORK_OF_HYPOTHESIS * hypotheses * len(lengths)


def work_of_orders(words: Iterable[int]) -> int:
    """The work of comparing the orders of so many words, segment by segment."""
    return 2 * sum(length**3 for length in words)


def work_of_tests(metrics: int, systems: int, segments: int, significance: "Significance", stored: int = 0) -> int:
    """The work of resampling so many metrics of every system and of so many `stored` runs of one, and of testing them."""
    has_runs = significance.runs or stored > 1
    systems += stored
    pairs = systems * (systems - 1) // 2 if significance.letters else systems
    draws = significance.samples * systems
    if significance.test == "randomisation":
        draws += significance.trials * pairs
    if has_runs:
        draws += (significance.samples + significance.trials) * systems
    return WORK_OF_DRAW * metrics * draws * (segments + WORK_OF_SCORE)
