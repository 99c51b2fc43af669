"""Translations of words that a system left as they are, by their stems (Schwenk et al. 2011, section 4)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

import numpy as np
import snowballstemmer

from app.building.line_files import read_lines
from app.building.writing import file_aside
from app.errors import InputError
from app.resources.language_models import LanguageModel
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.text.batch import pack_tokenised
from app.text.reading.lines import decode_text, side_by_side
from app.text.tokenisation import tokens_of

__all__ = ["CANDIDATES", "MOST_CANDIDATES", "STEMMERS", "StemDictionary", "translate_unknown"]

# Translations of a stem that a language model chooses from.
CANDIDATES: Final = 10
MOST_CANDIDATES: Final = 1000
STEMMERS: Final[Mapping[str, str]] = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "et":
    "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
# p(t|s) by words is the last of a table's four scores; where others stand beside them, it stands elsewhere.
SCORES, LEXICAL = 4, 3


@dataclass(frozen=True)
class StemDictionary:
    """Translations of words by the stems of their sources, the most probable first, and words that are their own translation."""

    language: str
    by_stem: Mapping[str, Sequence[str]]
    same: frozenset[str]

    @classmethod
    def read(cls, table: Path, language: str, most: int = CANDIDATES) -> "StemDictionary":
        """From the entries of a phrase table with a word on either side, by p(target | source) of words.

        InputError where the language has no stemmer here, or names a line without four scores.
        """
        if language not in STEMMERS:
            raise InputError("invalid-request", f"languages with stemmers are {', '.join(STEMMERS)}", ("--language",))
        stem = snowballstemmer.stemmer(STEMMERS[language]).stemWord
        entries: dict[str, dict[str, float]] = defaultdict(dict)
        same = set()
        with ExitStack() as stack:
            for line, raw in enumerate(read_lines(table, stack), 1):
                columns = decode_text(raw, str(table), line).split(" ||| ")
                try:
                    source, target = columns[0].split(), columns[1].split()
                    scores = columns[2].split()
                    score = float(scores[LEXICAL])
                    if len(scores) != SCORES or not 0 <= score < inf:
                        raise ValueError
                except (IndexError, ValueError):
                    detail = f"line {line} of {table} is not source ||| target ||| four scores, numbers from 0"
                    raise InputError("invalid-table", detail, (str(table), line)) from None
                if len(source) != 1 or len(target) != 1:
                    continue
                if source == target:
                    same.add(source[0])
                by_target = entries[stem(source[0])]
                by_target[target[0]] = max(score, by_target.get(target[0], 0.0))
        ranked = {key: sorted(by_target, key=lambda word: (-by_target[word], word))[:most] for key, by_target in entries.items()}
        return cls(language, ranked, frozenset(same))

    def candidates(self, word: str) -> Sequence[str]:
        """Translations of words with the stem of this one; none for a word that is its own translation."""
        if word in self.same:
            return ()
        stem = snowballstemmer.stemmer(STEMMERS[self.language]).stemWord
        return [target for target in self.by_stem.get(stem(word), ()) if target != word]

    def corrected(self, source: Sequence[str], output: Sequence[str], model: LanguageModel) -> list[str]:
        """The output, with translations of words that stand in the source too, from the first to the last word.

        Of a stem's translations that is taken with which the language model finds the sentence most probable.
        """
        words = list(output)
        copied = set(source)
        for place, word in enumerate(words):
            candidates = self.candidates(word) if word in copied else ()
            if candidates:
                texts = [" ".join([*words[:place], candidate, *words[place + 1 :]]) for candidate in candidates]
                column = pack_tokenised(texts)
                _, scores = model.score_both(column)
                rows = np.repeat(np.arange(len(column)), column.lengths + 1)
                words[place] = candidates[int(np.argmax(np.bincount(rows, scores.log_prob)))]
        return words


def translate_unknown(source: Path, output: Path, dictionary: StemDictionary, model: LanguageModel, out: Path) -> tuple[int, int]:
    """Write a system's output with unknown words translated; lines, and words that were.

    InputError for other numbers of lines, and for a line of more than `MOST_WORDS` words.
    """
    lines = changed = 0
    with ExitStack() as stack, file_aside(out) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        names = (str(source), str(output))
        columns = [read_lines(path, stack) for path in (source, output)]
        for line, row in enumerate(side_by_side(names, columns), 1):
            texts = [tokens_of(decode_text(raw, name, line)) for name, raw in zip(names, row, strict=True)]
            if len(texts[1]) > MOST_WORDS:
                # Each word that is chosen is chosen by the score of the whole line.
                detail = f"line {line} of {output} has {len(texts[1])} words; {MOST_WORDS} are the most"
                raise InputError("segment-too-long", detail, (str(output), line))
            words = dictionary.corrected(texts[0], texts[1], model)
            changed += sum(one != other for one, other in zip(words, texts[1], strict=True))
            file.write(" ".join(words) + "\n")
            lines = line
    return lines, changed
