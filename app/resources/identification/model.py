"""py3langid's model of 140 languages: multinomial naive Bayes over byte n-grams, which an automaton finds."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt16s, UInt32s
from app.resources.identification.automaton_kernel import language_probabilities
from app.resources.identification.unpacking import unpacked_model

__all__ = ["LanguageIdentifier", "LanguageProbabilities", "language_identifier"]

# Codes of the model that Assay merges into another code.
ALIASES: Final[Mapping[str, str]] = {
    "wuu": "zh", "yue": "zh", "pcm": "en", "uzs": "uz", "ary": "ar", "arz": "ar", "sdh": "ku",
}  # fmt: skip


@dataclass(frozen=True)
class LanguageIdentifier:
    """The model in memory. `codes` are its languages in alphabetical order.

    Its classes have weights per n-gram, (features, classes) as bits of half-precision numbers, and `priors`; `class_codes` has the
    place of each among `codes`. Several classes may have one code, as Serbian in two scripts. `moves` and `states` are those of
    `language_probabilities`.
    """

    codes: tuple[str, ...]
    class_codes: Int64s
    weights: UInt16s
    priors: Float32s
    moves: UInt32s
    states: Int32s

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Place of each code among `codes`."""
        return {code: number for number, code in enumerate(self.codes)}

    def probabilities(self, texts: Sequence[str]) -> Float64s:
        """Probability of each of `codes` for each text; shape (texts, codes).

        The temperature of the softmax, the root of the number of bytes, keeps short texts uncertain.
        """
        pieces = [_encoded(text) for text in texts]
        data, ends = np.frombuffer(b"".join(pieces), np.uint8), np.fromiter(accumulate(map(len, pieces)), np.int64, len(pieces))
        result: Float64s = language_probabilities(
            data, ends, self.moves, self.states, self.weights, self.priors, self.class_codes, len(self.codes)
        )
        return result


def _encoded(text: str) -> bytes:
    """The bytes that the model knows: it has seen words in capitals only as names and abbreviations."""
    return unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode("utf-8", "surrogatepass")


class LanguageProbabilities(Mapping[str, float]):
    """Probabilities by language code, the likeliest first, equal ones in alphabetical order. Most readers look at two of them."""

    def __init__(self, identifier: LanguageIdentifier, probabilities: Float64s) -> None:
        self._identifier = identifier
        self._probabilities = probabilities

    @cached_property
    def _first(self) -> int:
        # Codes are in alphabetical order, which `argmax` and a stable sort preserve among equals.
        return int(self._probabilities.argmax())

    def __getitem__(self, code: str) -> float:
        return float(self._probabilities[self._identifier.numbers[code]])

    def __iter__(self) -> Iterator[str]:
        yield self._identifier.codes[self._first]
        order = np.argsort(-self._probabilities, kind="stable").tolist()
        yield from (self._identifier.codes[number] for number in order if number != self._first)

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
        np.ascontiguousarray(model["ptc"], np.float16).view(np.uint16),
        np.ascontiguousarray(model["pc"]),
        # A plain array over the mapped file, which a call of a kernel recognises sooner.
        np.ascontiguousarray(model["nextmove"], np.uint32),
        # Both numbers of a state lie side by side in memory.
        np.stack([model["nextmove_row"].astype(np.int32) << 8, model["out_feat"].astype(np.int32)], axis=1),
    )
