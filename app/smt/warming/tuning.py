"""Warm-up of list readers and tuners: one run on two small lists compiles their kernels."""

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from app.metrics import metrics_named
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.methods import METHODS
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists

__all__ = ["warm_up_tuning"]

REFERENCES: Final = (("a b c d", "c d"),)
TEXTS: Final = (("a b c", "a b c d", "d"), ("c", "c d", "d c"))

# A file with a duplicate, a rare feature, phrases and word links.
FILE: Final = (
    b"0 ||| a b ||| x= 1 2 y= 0.5 ||| -1 ||| 0-1=0-1 ||| 0-0 1-1\n0 ||| a b ||| x= 1 2 y= 0.5 z_a= 1 ||| -2 ||| 0=0 1=1 ||| 0-0\n"
)

# By default these methods pass over few lists thousands of times; one pass compiles as much.
SINGLE_PASSES: Final = {"mira": "mira|epochs:1|steps:0", "perceptron": "perceptron|epochs:1|steps:0"}


def warm_up_tuning() -> None:
    """Read one file and two; tune by every method, with dense features and with sparse ones."""
    for count in (1, 2):
        read_lists([TextFile(f"{k}", FILE) for k in range(count)], merge=count > 1)
    (metric,) = metrics_named(["bleu"]).values()
    lists = NBestLists.from_json(
        [
            [{"text": text, "score": 0.0, "features": {"x": [float(k), float(len(text))]}} for k, text in enumerate(row)]
            for row in TEXTS
        ]
    )
    pool = pool_of(lists, metric, REFERENCES)
    data = TuningData(pool, np.ones(len(pool.names)), REFERENCES[0], REFERENCES)
    width = len(pool.names)
    behind = HypothesisFeatures(pool.features.dense, csr_matrix(pool.features.dense))
    sparse_pool = replace(pool, names=(*pool.names, *(f"{name}_" for name in pool.names)), features=behind)
    for name in METHODS:
        method = SINGLE_PASSES.get(name, name)
        tune(data, method)
        tune(replace(data, pool=sparse_pool, start=np.ones(2 * width)), method)
