"""py3langid's model of 140 languages: multinomial naive Bayes over byte n-grams, which an automaton finds."""

import math
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt16s, UInt32s
from app.resources.identification.automaton_kernel import visited_features, widened_rows
from app.resources.identification.unpacking import unpacked_model

__all__ = ["LanguageIdentifier", "LanguageProbabilities", "language_identifier"]

# Codes of the model that Assay merges into another code.
ALIASES: Final[Mapping[str, str]] = {
    "wuu": "zh", "yue": "zh", "pcm": "en", "uzs": "uz", "ary": "ar", "arz": "ar", "sdh": "ku",
}  # fmt: skip


# Between the exponents of half and of single precision.
EXPONENT: Final = np.float32(2.0**112)


@dataclass(frozen=True)
class LanguageIdentifier:
    """The model in memory. `codes` are its languages in alphabetical order.

    Its classes have weights per n-gram, (features, classes) as bits of half-precision numbers, and `priors`; `class_codes` has the
    place of each among `codes`.
    `scripts` are pairs of classes of one language, as Serbian in two scripts.
    """

    codes: tuple[str, ...]
    class_codes: Int64s
    scripts: tuple[tuple[int, int], ...]
    weights: UInt16s
    priors: Float32s
    moves: UInt32s
    rows: Int64s
    outputs: Int32s

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Place of each code among `codes`."""
        return {code: number for number, code in enumerate(self.codes)}

    def probabilities(self, text: str) -> Float64s:
        """Probability of each of `codes` for a text; shape (codes,).

        The temperature of the softmax, the root of the number of bytes, keeps short texts uncertain.
        """
        raw = unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode("utf-8", "surrogatepass")
        features, counts = visited_features(np.frombuffer(raw, np.uint8), self.moves, self.rows, self.outputs)
        if not len(features):
            scores = np.zeros(len(self.priors), np.float32)
        else:
            weights = widened_rows(self.weights, features).view(np.float32)
            weights *= EXPONENT
            scores = np.log1p(counts) @ weights + self.priors
        scores *= 1.0 / math.sqrt(len(raw) or 1)
        np.exp(scores - scores.max(), out=scores)
        scores /= scores.sum()
        for first, second in self.scripts:
            scores[first], scores[second] = scores[first] + scores[second], 0.0
        return np.asarray(np.bincount(self.class_codes, scores, len(self.codes)), np.float64)


class LanguageProbabilities(Mapping[str, float]):
    """Probabilities by language code, the likeliest first, equal ones in alphabetical order. Most readers look at two of them."""

    def __init__(self, identifier: LanguageIdentifier, probabilities: Float64s) -> None:
        self._identifier = identifier
        self._probabilities = probabilities

    def __getitem__(self, code: str) -> float:
        return float(self._probabilities[self._identifier.numbers[code]])

    def __iter__(self) -> Iterator[str]:
        # Codes are in alphabetical order, which `argmax` and a stable sort preserve among equals.
        first = int(self._probabilities.argmax())
        yield self._identifier.codes[first]
        order = np.argsort(-self._probabilities, kind="stable").tolist()
        yield from (self._identifier.codes[number] for number in order if number != first)

    def __len__(self) -> int:
        return len(self._probabilities)


@cache
def language_identifier() -> LanguageIdentifier:
    """The model of the package, whose own loader needs disk space for a temporary file."""
    import py3langid.langid

    model = unpacked_model(Path(py3langid.langid.MODEL_DIR) / py3langid.langid.MODEL_FILE)
    names = model["classes"].tolist()
    classes = [ALIASES.get(name, name) for name in names]
    codes = tuple(sorted(set(classes)))
    numbers = {code: number for number, code in enumerate(codes)}
    return LanguageIdentifier(
        codes,
        np.array([numbers[name] for name in classes], np.int64),
        tuple((names.index(name), place) for place, name in enumerate(names) if names.index(name) < place),
        np.ascontiguousarray(model["ptc"], np.float16).view(np.uint16),
        np.ascontiguousarray(model["pc"]),
        model["nextmove"].astype(np.uint32),
        model["nextmove_row"].astype(np.int64) << 8,
        model["out_feat"].astype(np.int32),
    )
