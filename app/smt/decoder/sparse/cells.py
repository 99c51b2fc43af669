"""Features of derivations in Moses' n-best format: dense scores of each feature, then its sparse ones."""

from collections.abc import Sequence

from app.smt.decoder.derivation import Derivation
from app.smt.decoder.sparse.derivations import sparse_of_list
from app.smt.decoder.system import System
from app.smt.decoder.tuning.list_features import features_of_list

__all__ = ["feature_cells"]


def feature_cells(system: System, derivations: Sequence[Derivation]) -> list[str]:
    """Text for each derivation, as ``LM0= -12.3 pl_s1= 2 pl_t1= 2 WordPenalty0= -4``, without sparse features of 0.

    Numbers have enough digits to recompute the model score.
    """
    rows = features_of_list(system, derivations).tolist()
    dense = [
        " ".join([f"{feature.name.replace('%', '%%')}=", *["%.8g"] * len(feature.weights)]) if feature.weights else ""
        for feature in system.features
    ]
    if not system.has_sparse:
        line = " ".join(dense)
        return [line % tuple(row) for row in rows]
    places = {feature.name: place for place, feature in enumerate(system.features)}
    texts = []
    for row, values in zip(rows, sparse_of_list(system, derivations), strict=True):
        parts: list[list[str]] = [[] for _ in dense]
        for name in sorted(values):
            if values[name]:
                parts[places[name.partition("_")[0]]].append(f"{name}= {values[name]:.8g}")
        cells, begin = [], 0
        for feature, text, sparse_cells in zip(system.features, dense, parts, strict=True):
            end = begin + len(feature.weights)
            cells += [text % tuple(row[begin:end])] if text else []
            cells += sparse_cells
            begin = end
        texts.append(" ".join(cells))
    return texts
