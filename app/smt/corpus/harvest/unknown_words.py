"""Translation of unknown words of a system, by their stems (Schwenk et al. 2011, section 4)."""

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
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.text.batch import pack_tokenised
from app.text.reading.lines import decode_text, side_by_side
from app.text.tokenisation import tokens_of

__all__ = ["CANDIDATES", "STEMMERS", "StemDictionary", "translate_unknown"]

# Translations of a stem that the language model ranks.
CANDIDATES: Final = 10
STEMMERS: Final[Mapping[str, str]] = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "et":
    "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
# The lexical p(t|s) is the last of four scores; tables with further scores have it elsewhere.
SCORES, LEXICAL = 4, 3


@dataclass(frozen=True)
class StemDictionary:
    """Translations by stem of the source, the most probable first, and words that are their own translation (`copies`)."""

    language: str
    by_stem: Mapping[str, Sequence[str]]
    copies: frozenset[str]

    @classmethod
    def read(cls, table: Path, language: str, limit: int = CANDIDATES) -> "StemDictionary":
        """Dictionary of single-word entries of a phrase table, by lexical p(target | source), `limit` translations a stem.

        InputError for a language without a stemmer, or for a line without four scores.
        """
        if language not in STEMMERS:
            raise InputError("invalid-request", f"languages with stemmers are {', '.join(STEMMERS)}", ("--language",))
        stem = snowballstemmer.stemmer(STEMMERS[language]).stemWord
        entries: dict[str, dict[str, float]] = defaultdict(dict)
        copies = set()
        for line, text in numbered_lines(table):
            columns = text.split(" ||| ")
            try:
                source, target = columns[0].split(), columns[1].split()
                scores = columns[2].split()
                score = float(scores[LEXICAL])
                if len(scores) != SCORES or not 0 <= score < inf:
                    raise ValueError
            except (IndexError, ValueError):
                raise line_error(table, line, "is not source ||| target ||| four scores, numbers from 0") from None
            if len(source) != 1 or len(target) != 1:
                continue
            if source == target:
                copies.add(source[0])
            by_target = entries[stem(source[0])]
            by_target[target[0]] = max(score, by_target.get(target[0], 0.0))
        translations = {
            key: sorted(by_target, key=lambda word: (-by_target[word], word))[:limit] for key, by_target in entries.items()
        }
        return cls(language, translations, frozenset(copies))

    def candidates(self, word: str) -> Sequence[str]:
        """Translations of words with the stem of `word`; none for a word that is its own translation."""
        if word in self.copies:
            return ()
        stem = snowballstemmer.stemmer(STEMMERS[self.language]).stemWord
        return [target for target in self.by_stem.get(stem(word), ()) if target != word]

    def corrected(self, source: Sequence[str], output: Sequence[str], model: LanguageModel) -> list[str]:
        """Output with translations of words copied from the source, from the first to the last word.

        The language model selects, among translations of the stem, the one with the most probable sentence.
        """
        words = list(output)
        source_words = set(source)
        for place, word in enumerate(words):
            candidates = self.candidates(word) if word in source_words else ()
            if candidates:
                texts = [" ".join([*words[:place], candidate, *words[place + 1 :]]) for candidate in candidates]
                column = pack_tokenised(texts)
                _, scores = model.score_both(column)
                rows = np.repeat(np.arange(len(column)), column.lengths + 1)
                words[place] = candidates[int(np.argmax(np.bincount(rows, scores.log_prob)))]
        return words


def translate_unknown(source: Path, output: Path, dictionary: StemDictionary, model: LanguageModel, out: Path) -> tuple[int, int]:
    """Write the output of a system with unknown words translated; return numbers of lines and of translated words.

    InputError for files of different lengths, and for a line of more than `MOST_WORDS` words.
    """
    lines = change_count = 0
    with ExitStack() as stack, file_aside(out) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        names = (str(source), str(output))
        columns = [read_lines(path, stack) for path in (source, output)]
        for line, row in enumerate(side_by_side(names, columns), 1):
            texts = [tokens_of(decode_text(raw, name, line)) for name, raw in zip(names, row, strict=True)]
            if len(texts[1]) > MOST_WORDS:
                # Each translated word needs scores of the entire line.
                raise line_error(output, line, f"has {len(texts[1])} words; the limit is {MOST_WORDS}", "segment-too-long")
            words = dictionary.corrected(texts[0], texts[1], model)
            change_count += sum(new_word != old_word for new_word, old_word in zip(words, texts[1], strict=True))
            file.write(" ".join(words) + "\n")
            lines = line
    return lines, change_count
