"""Writers of derivations: lines of Moses' n-best lists, and traces of phrases."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.sparse.cells import feature_cells
from app.smt.decoder.sparse.derivations import sparse_of_list
from app.smt.decoder.system import System
from app.smt.decoder.tuning.list_features import features_of_list

__all__ = ["listed_numbers", "n_best_lines", "trace_of"]


def n_best_lines(system: System, segment: int, derivations: Sequence[Derivation]) -> Iterator[str]:
    """Yield lines of Moses' form: segment, translation, features, score, phrases, and word links if the tables have them."""
    for derivation, features in zip(derivations, feature_cells(system, derivations), strict=True):
        cells = [str(segment), derivation.text, features, f"{derivation.score:.10g}", derivation.alignment]
        if len(system.rows.links):
            cells.append(derivation.word_alignment(system))
        yield " ||| ".join(cells)


def listed_numbers(system: System, derivations: Sequence[Derivation]) -> Iterator[tuple[float, dict[str, list[float]]]]:
    """Yield score and dense features of each derivation, rounded as `n_best_lines` writes them."""
    for derivation, values in zip(derivations, features_of_list(system, derivations).tolist(), strict=True):
        rounded_values = [float(f"{value:.8g}") for value in values]
        features = {
            feature.name: rounded_values[system.begins_of[feature.name] :][: len(feature.weights)] for feature in system.features
        }
        yield float(f"{derivation.score:.10g}"), features


def trace_of(system: System, derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as JSON: score, features, and each phrase with source span, words and table scores.

    Sparse features have a field of their own, if the system has any.
    """
    values = features_of_list(system, [derivation])[0]
    return {
        "score": derivation.score,
        "features": {
            feature.name: values[system.begins_of[feature.name] :][: len(feature.weights)].tolist()
            for feature in system.features
            if feature.weights
        },
        **({"sparse": dict(sorted(sparse_of_list(system, [derivation])[0].items()))} if system.has_sparse else {}),
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
    """Name the tables of a phrase; None for an unknown word."""
    if phrase.row >= 0:
        return "+".join(table.name for table in system.tables_of(phrase.row))
    return None if phrase.unknown else "markup"
