"""`BagsOfWords`: topics, triggers and a word lexicon of one direction, in one file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from app.resources.bags_of_words.topic_model import TopicModel, TopicWords
from app.resources.bags_of_words.word_lexicon import WordLexicon
from app.resources.lexical_table import LexicalTable

__all__ = ["BagsOfWords"]

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class BagsOfWords:
    """Models of a direction. Tables of triggers have weights in place of probabilities; those of a word sum to 1.

    `source_triggers` and `target_triggers` lead from a word to words of its own language, `triggers` from a source word to target
    words.
    """

    topics: TopicModel
    source_triggers: LexicalTable
    target_triggers: LexicalTable
    triggers: LexicalTable
    lexicon: WordLexicon

    @classmethod
    def load(cls, path: Path) -> "BagsOfWords":
        """Read a safetensors file of `arrays`; ValueError if the arrays of the lexicon do not fit together."""
        arrays = load_file(path)
        source, target = (TopicWords(**_under(f"topics.{side}.", arrays)) for side in ("source", "target"))
        lexicon = WordLexicon(**_under("lexicon.", arrays))
        if not lexicon.is_consistent:
            raise ValueError("arrays of the word lexicon do not fit together")
        return cls(
            TopicModel(source, target, float(arrays["topics.prior"][0])),
            _table("source_triggers.", arrays),
            _table("target_triggers.", arrays),
            _table("triggers.", arrays),
            lexicon,
        )

    def arrays(self) -> Arrays:
        """Stored arrays by name."""
        return {
            "topics.prior": np.array([self.topics.prior]),
            **_named("topics.source.", self.topics.source.arrays()),
            **_named("topics.target.", self.topics.target.arrays()),
            **_named("source_triggers.", self.source_triggers.arrays()),
            **_named("target_triggers.", self.target_triggers.arrays()),
            **_named("triggers.", self.triggers.arrays()),
            **_named("lexicon.", self.lexicon.arrays()),
        }


def _under(prefix: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _table(prefix: str, arrays: Arrays) -> LexicalTable:
    source, offsets, target, probability = (arrays[prefix + name] for name in ("source", "offsets", "target", "probability"))
    return LexicalTable(source, offsets, target, probability)


def _named(prefix: str, arrays: Arrays) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}
