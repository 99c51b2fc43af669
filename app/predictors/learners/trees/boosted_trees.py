"""Serving of gradient-boosted regression trees from their arrays."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s
from app.predictors.regressor import Regressor

__all__ = ["BoostedTrees"]

LEAF = -1


@dataclass(frozen=True)
class BoostedTrees(Regressor):
    """``mean = b + Σ leaf values`` of histogram gradient boosting (Friedman 2001; Ke et al. 2017).

    Nodes of all trees one after the other; `roots` (trees,) has the first node of each. At node i a row whose
    ``x[feature[i]] <= threshold[i]`` goes to `left`, otherwise to `right` (counted from the tree's root); `feature` of a leaf
    is -1 and `value` its contribution. The variance is that of the residuals on held-out data.
    """

    roots: Int32s
    feature: Int32s
    threshold: Float64s
    left: Int32s
    right: Int32s
    value: Float64s
    baseline: float
    residual_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "BoostedTrees":
        """Read the stored arrays; ValueError for a node that leads outside its tree or backwards, which could form a circle."""
        roots, feature, left, right = (arrays[name].astype(np.int32) for name in ("roots", "feature", "left", "right"))
        nodes = arrays["feature"].shape
        ends = np.append(roots[1:], len(feature))
        if any(arrays[name].shape != nodes for name in ("left", "right", "threshold", "value")) or len(nodes) != 1:
            raise ValueError("a tree needs a feature, a threshold, two children and a value per node")
        if roots.ndim != 1 or (ends <= roots).any() or (feature < LEAF).any():
            raise ValueError("a tree has no node, or a node has no feature")
        place = np.arange(len(feature)) - np.repeat(roots, ends - roots)
        size = np.repeat(ends - roots, ends - roots)
        inner = feature != LEAF
        for child in (left[inner], right[inner]):
            if (child <= place[inner]).any() or (child >= size[inner]).any():
                raise ValueError("a node of a tree does not lead forward")
        baseline, variance = arrays["parameters"]
        threshold, value = arrays["threshold"].astype(np.float64), arrays["value"].astype(np.float64)
        return cls(roots, feature, threshold, left, right, value, float(baseline), float(variance))

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store: numbers of nodes and features as single-precision floats, which hold them exactly up to 2^24."""
        counts = {"roots": self.roots, "feature": self.feature, "left": self.left, "right": self.right}
        return {
            **{name: values.astype(np.float32) for name, values in counts.items()},
            "threshold": self.threshold,
            "value": self.value,
            "parameters": np.array([self.baseline, self.residual_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and (constant) variance."""
        return self.means(x), np.full(len(x), self.residual_variance)

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        if x.shape[1] <= self.feature.max(initial=LEAF):
            raise ValueError("a tree asks for a feature that is not there")
        sums = _sum_leaves(np.ascontiguousarray(x), self.roots, self.feature, self.threshold, self.left, self.right, self.value)
        return np.asarray(sums + self.baseline)


@njit(cache=True, nogil=True)
def _sum_leaves(
    x: Float64s, roots: Int32s, feature: Int32s, threshold: Float64s, left: Int32s, right: Int32s, value: Float64s
) -> Float64s:
    out = np.zeros(len(x))
    for row in range(len(x)):
        for root in roots:
            node = root
            while feature[node] >= 0:
                node = root + (left[node] if x[row, feature[node]] <= threshold[node] else right[node])
            out[row] += value[node]
    return out
