"""Weights of sentence pairs: weight of the corpus times powers of scores (Shah, Barrault and Schwenk 2012, eq. 4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.building.kneser_ney import estimate_language_model
from app.building.writing import file_aside
from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.weighting.columns import Labels
from app.smt.corpus.weighting.mixture import Mixture, fit_mixture, token_probabilities
from app.text.batch import TokenColumn, pack_tokenised

__all__ = ["DEFAULT_POWER", "SCORES", "PairScores", "corpus_mixture", "read_table", "read_text"]

SCORES: Final = ("perplexity", "recency", "alignment")
# The first trial of the paper, for every score.
DEFAULT_POWER: Final = 0.1
HEAD: Final = "corpus"


@dataclass(frozen=True)
class PairScores:
    """Corpora of pairs, weights of corpora, and scores by name, in [0, 1], shape (pairs,). A weight of 0 excludes."""

    labels: Labels
    corpora: Float64s
    scores: Mapping[str, Float64s] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    def weights(self, powers: Mapping[str, float]) -> Float64s:
        """Weights of sentence pairs, shape (pairs,); each occurrence of a phrase has the weight of its pair.

        This equals eq. 4 for phrases that occur in one pair of each corpus. In general the equation needs the mean of scores first:
        see `assay smt phrase-table --pair-scores`.
        """
        weights = self.corpora[self.labels.ids].astype(np.float64)
        for name, scores in self.scores.items():
            weights = weights * scores ** powers.get(name, DEFAULT_POWER)
        return weights

    def write_weights(self, path: Path, powers: Mapping[str, float]) -> None:
        """Write weights of sentence pairs, one a line."""
        with file_aside(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{weight:.8g}\n" for weight in self.weights(powers).tolist())

    def write(self, path: Path) -> None:
        """Write a table with a heading: corpus, weight and scores of each pair."""
        columns = [self.corpora[self.labels.ids], *self.scores.values()]
        with file_aside(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
            out.write("\t".join([HEAD, "weight", *self.scores]) + "\n")
            for corpus, *values in zip(self.labels.ids.tolist(), *(column.tolist() for column in columns), strict=True):
                out.write("\t".join([self.labels.names[corpus], *(f"{value:.8g}" for value in values)]) + "\n")


def read_table(path: Path) -> PairScores:
    """Read a table of `PairScores.write`; InputError (`invalid-table`) names a malformed line, or scores outside [0, 1]."""
    numbers: dict[str, int] = {}
    corpora: list[float] = []
    ids: list[int] = []
    rows: list[list[float]] = []
    lines = numbered_lines(path)
    heading = next(lines, (1, ""))[1].split()
    if heading[:2] != [HEAD, "weight"]:
        raise line_error(path, 1, f"does not begin with the names {HEAD} and weight")
    for line, text in lines:
        name, *cells = text.split() or [""]
        try:
            weight, *row = (float(cell) for cell in cells)
            usable = len(cells) == len(heading) - 1 and 0 <= weight < np.inf and all(0 <= value <= 1 for value in row)
        except ValueError:
            usable = False
        if not usable:
            raise line_error(path, line, f"is not a corpus, its weight and {len(heading) - 2} scores from 0 to 1")
        corpus = numbers.setdefault(name, len(numbers))
        if corpus == len(corpora):
            corpora.append(weight)
        elif corpora[corpus] != weight:
            raise line_error(path, line, "has another weight of its corpus than earlier lines")
        ids.append(corpus)
        rows.append(row)
    values = np.array(rows).reshape(len(rows), len(heading) - 2)
    labels = Labels(tuple(numbers), np.array(ids, np.int32))
    return PairScores(labels, np.array(corpora), {name: values[:, k] for k, name in enumerate(heading[2:])})


def read_text(path: Path) -> TokenColumn:
    """Read a tokenised text, a segment a line, lower-cased like the language models."""
    return pack_tokenised([line.lower().rstrip("\r\n") for _, line in numbered_lines(path)])


def corpus_mixture(text: TokenColumn, labels: Labels, held_out: TokenColumn, order: int = 3) -> Mixture:
    """Mixture of the language models of corpora that maximises the probability of held-out text."""
    models = []
    for corpus, name in enumerate(labels.names):
        rows = np.flatnonzero(labels.ids == corpus)
        column = text.rows(rows)
        if not len(column.ids):
            raise InputError("empty-input", f"the corpus {name} has no words")
        models.append(estimate_language_model(column, order))
    return fit_mixture(token_probabilities(models, held_out))
