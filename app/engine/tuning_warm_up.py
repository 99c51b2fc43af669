"""Every method of tuning runs once on two small lists, so that nothing is compiled while a job waits."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.sparse import csr_matrix

from app.text.n_best import NBestLists
from app.tuning import METHODS, TuningData, pool_of, tune
from app.tuning.matrix import FeatureMatrix

if TYPE_CHECKING:
    from app.engine.engine import Engine

__all__ = ["warm_up_tuning"]

REFERENCES: Final = (("a b c d", "c d"),)
TEXTS: Final = (("a b c", "a b c d", "d"), ("c", "c d", "d c"))

# Steps through few lists would go through them thousands of times, which compiles no more than once does.
ONCE: Final = {"mira": "mira|epochs:1|steps:0", "perceptron": "perceptron|epochs:1|steps:0"}


def warm_up_tuning(engine: "Engine") -> None:
    """Tune by every method, with dense features and with sparse ones behind them."""
    (metric,) = engine.metrics(["bleu"]).values()
    lists = NBestLists.from_json(
        [
            [{"text": text, "score": 0.0, "features": {"x": [float(k), float(len(text))]}} for k, text in enumerate(row)]
            for row in TEXTS
        ]
    )
    pool = pool_of(lists, metric, REFERENCES)
    data = TuningData(pool, np.ones(len(pool.names)), REFERENCES[0], REFERENCES)
    width = len(pool.names)
    behind = FeatureMatrix(pool.features.dense, csr_matrix(pool.features.dense))
    both = replace(pool, names=(*pool.names, *(f"{name}_" for name in pool.names)), features=behind)
    for name in METHODS:
        method = ONCE.get(name, name)
        tune(data, method)
        tune(replace(data, pool=both, start=np.ones(2 * width)), method)
