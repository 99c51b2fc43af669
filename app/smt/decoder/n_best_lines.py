"""What is written of derivations: Moses' n-best lists, and a trace of the phrases that were used."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.smt.decoder.derivation import Derivation, Phrase, features_of_derivation
from app.smt.decoder.sparse.cells import feature_cells
from app.smt.decoder.sparse.derivations import sparse_of_derivation
from app.smt.decoder.system import System
from app.smt.decoder.tuning.list_features import features_of_list

__all__ = ["listed_numbers", "n_best_lines", "trace_of"]


def n_best_lines(system: System, segment: int, derivations: Sequence[Derivation]) -> Iterator[str]:
    """Lines of Moses' form: segment, translation, features, score, phrases, and words where the tables align them."""
    for derivation, features in zip(derivations, feature_cells(system, derivations), strict=True):
        cells = [str(segment), derivation.text, features, f"{derivation.score:.10g}", derivation.alignment]
        if len(system.rows.links):
            cells.append(derivation.word_alignment(system))
        yield " ||| ".join(cells)


def listed_numbers(system: System, derivations: Sequence[Derivation]) -> Iterator[tuple[float, dict[str, list[float]]]]:
    """The score of each derivation and its dense features by name: the numbers that `n_best_lines` writes, read again."""
    for derivation, values in zip(derivations, features_of_list(system, derivations).tolist(), strict=True):
        printed = [float(f"{value:.8g}") for value in values]
        features = {feature.name: printed[system.begins_of[feature.name] :][: len(feature.weights)] for feature in system.features}
        yield float(f"{derivation.score:.10g}"), features


def trace_of(system: System, derivation: Derivation) -> dict[str, Any]:
    """A derivation as JSON: its score, its features, and of each phrase its span, its words and its scores in the tables.

    Sparse features stand by themselves, if the system has any.
    """
    values = features_of_derivation(system, derivation.phrases)
    return {
        "score": derivation.score,
        "features": {
            feature.name: values[system.begins_of[feature.name] :][: len(feature.weights)].tolist()
            for feature in system.features
            if feature.weights
        },
        **({"sparse": sparse_of_derivation(system, derivation.phrases)} if system.has_sparse else {}),
        "phrases": [
            {
                "source": [phrase.start, phrase.end],
                "target": list(phrase.words),
                "table": _origin(system, phrase),
                "scores": [] if phrase.row < 0 else system.table_scores(phrase.row),
            }
            for phrase in derivation.phrases
        ],
    }


def _origin(system: System, phrase: Phrase) -> str | None:
    """Which tables a phrase is from; nothing of an unknown word."""
    if phrase.row >= 0:
        return "+".join(system.tables_of(phrase.row))
    return None if phrase.unknown else "markup"
