"""Hypotheses in the columns of another pool, for weights that were tuned on that pool."""

from dataclasses import replace
from typing import Any

import numpy as np

from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.weights import refuse_missing
from app.text.feature_columns.columns import components

__all__ = ["in_columns_of"]


def in_columns_of(pool: TuningPool, tuned_pool: TuningPool, zero_missing: bool = False) -> TuningPool:
    """Hypotheses with the columns of the tuned pool: 0 for missing features.

    InputError names features that the tuned pool lacks; with `zero_missing` these are left out.
    """
    columns_by_name = {key: k for k, key in enumerate(components(pool.names))}
    if not zero_missing:
        weighted = set(components(tuned_pool.names))
        refuse_missing(list(dict.fromkeys(name for name, component in columns_by_name if (name, component) not in weighted)))
    places = [columns_by_name.get(key, -1) for key in components(tuned_pool.names)]
    first = tuned_pool.features.dense.shape[1]
    dense = np.zeros((len(pool.features), first))
    for column, place in enumerate(places[:first]):
        if place >= 0:
            dense[:, column] = pool.features.column(place)
    features = HypothesisFeatures(
        dense, None if tuned_pool.features.sparse is None else _selected_columns(pool.features, np.array(places[first:]))
    )
    return replace(pool, names=tuned_pool.names, features=features)


def _selected_columns(features: HypothesisFeatures, places: np.ndarray) -> Any:
    """CSR matrix of the columns at these places, empty where a place is -1."""
    from scipy.sparse import csr_matrix, hstack

    parts = [csr_matrix(features.dense), *([] if features.sparse is None else [features.sparse])]
    columns = np.flatnonzero(places >= 0)
    choice = csr_matrix((np.ones(len(columns)), (places[columns], columns)), shape=(features.width, len(places)))
    return csr_matrix(hstack(parts, format="csr") @ choice)
