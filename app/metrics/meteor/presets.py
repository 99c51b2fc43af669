"""Parameters of METEOR: those of 2005, and those that METEOR 1.5 has for ranking, by language."""

from dataclasses import dataclass
from typing import Final

__all__ = ["ORIGINAL", "PRESETS", "STEM_TABLE", "Parameters", "Weights", "read_weights"]

# Weights of the stages: exact, stem, synonyms, paraphrases.
Weights = tuple[float, float, float, float]
# The stemmer that is a table of the operator.
STEM_TABLE: Final = "table"
# METEOR's rule for any language: a match of another form counts half.
HALF: Final = 0.5


@dataclass(frozen=True)
class Parameters:
    """Weight of recall, exponent and weight of the penalty, weights of content words and of stages, and stemmer (or ``no``)."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Weights
    stem: str


# Banerjee and Lavie 2005: 10PR / (R + 9P) and 0.5 (pieces / matches)³.
ORIGINAL: Final = Parameters(0.9, 3.0, 0.5, 0.5, (1.0, 1.0, 1.0, 1.0), "no")
# Denkowski and Lavie 2014. METEOR has no weight for stages that it lacks for a language; they count half here. It has no
# parameters of its own for Russian and Arabic, and takes those for any language.
PRESETS: Final = {
    "universal": Parameters(0.7, 1.4, 0.3, 0.7, (1.0, HALF, HALF, 0.6), "no"),
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6), "en"),
    "cs": Parameters(0.95, 0.2, 0.6, 0.8, (1.0, HALF, HALF, 0.4), "no"),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, HALF, 0.2), "de"),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, HALF, 0.6), "es"),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, HALF, 0.4), "fr"),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, HALF, HALF, HALF), "ru"),
    "ar": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, HALF, HALF, HALF), "ar"),
}


def read_weights(text: str) -> Weights:
    """Weights of the four stages, as ``1_0.6_0.8_0.6``; ValueError unless they are four numbers from 0 to 1."""
    exact, stem, synonyms, paraphrases = map(float, text.split("_"))
    weights = (exact, stem, synonyms, paraphrases)
    if not all(0 <= weight <= 1 for weight in weights):
        raise ValueError(text)
    return weights
