"""A network that reads the tokens of both texts: it compares each with its attended tokens of the other text.

Parikh et al. 2016, A decomposable attention model; Kim et al. 2017, Predictor-estimator, for the tags of words as a second task.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import erf

from app.arrays import Float32s, Float64s, Int64s
from app.features.encoded import READ
from app.features.token_vectors import directions

__all__ = ["TokenNetwork", "TokenReading"]

SIDES: Final = ("0", "1")
EPSILON: Final = np.float32(1e-5)
ROOT_OF_TWO: Final = np.float32(np.sqrt(2))


@dataclass(frozen=True)
class TokenReading:
    """The reading of a segment with s source tokens and t tokens of the translation.

    `labels` are the columns of READ (4,). `source` (s,) are probabilities that each source token is translated wrongly, `target`
    (t,) that each token of the translation is wrong. `nearest` (s,) is the place of the most similar token of the
    translation, -1 without one, and `likeness` (s,) their cosine.
    """

    labels: Float64s
    source: Float32s
    target: Float32s
    nearest: Int64s
    likeness: Float32s


@dataclass(frozen=True)
class TokenNetwork:
    """Arrays by name, of matching shapes that `from_arrays` has checked.

    Token vectors have d numbers, the network h hidden units; a are numbers of alignments, p pairs. Layers have a `.b` beside `.w`:

    - `project.w` (h, d), `compare.SIDE.w` (h, 4h + 2), `context.SIDE.w` (h, h, 3), `tag.SIDE.w` and `attend.SIDE.w` (1, h)
    - `sentence.w` (s, 2d), `join.w` (l, 2(2h + 2) + a + e + s), `label.w` (2, l), `norm.w` (d,)
    - `pair.w` (p + 1, e), without `.b`; its last row is that of all untrained pairs
    - `centre` (d,), `numbers.middle` and `numbers.scale` (a,), and `sharpness` (1,) of the attention
    """

    arrays: Mapping[str, Float32s]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], width: int, numbers: int, pairs: int) -> "TokenNetwork":
        """Check the arrays; ValueError or KeyError for a missing array or a wrong shape."""
        h, e, s, last = (arrays[name].shape[k] for name, k in (("project.w", 0), ("pair.w", 1), ("sentence.w", 0), ("join.w", 0)))
        shapes: dict[str, tuple[int, ...]] = {
            "sharpness": (1,),
            "norm.w": (width,),
            "norm.b": (width,),
            "centre": (width,),
            "numbers.middle": (numbers,),
            "numbers.scale": (numbers,),
            "pair.w": (pairs + 1, e),
        }
        layers: dict[str, tuple[int, ...]] = {
            "project": (h, width),
            "sentence": (s, 2 * width),
            "join": (last, 2 * (2 * h + 2) + numbers + e + s),
            "label": (2, last),
            **{f"compare.{side}": (h, 4 * h + 2) for side in SIDES},
            **{f"context.{side}": (h, h, 3) for side in SIDES},
            **{f"{name}.{side}": (1, h) for name in ("tag", "attend") for side in SIDES},
        }
        shapes |= {f"{name}.{part}": shape[:size] for name, shape in layers.items() for part, size in (("w", None), ("b", 1))}
        if arrays.keys() != shapes.keys() or any(arrays[name].shape != shape for name, shape in shapes.items()):
            raise ValueError("the network's arrays are not those of a network")
        parameters = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        if not all(np.isfinite(array).all() for array in parameters.values()) or not (parameters["numbers.scale"] > 0).all():
            raise ValueError("the network's arrays are not of finite numbers")
        return cls(parameters)

    def read(self, source: Float32s, target: Float32s, sentences: Float32s, numbers: Float64s, pair: int) -> TokenReading:
        """Read one segment; labels and probabilities are zeros for a side without tokens.

        `source` (s, d) and `target` (t, d) are vectors of tokens, `numbers` (a,) those of alignments. `sentences` (2d,) has the
        product and the absolute difference of both texts' vectors. `pair` is the row of the pair's vector, -1 for untrained pairs.
        """
        if not len(source) or not len(target):
            of_source, of_target = (np.zeros(len(side), np.float32) for side in (source, target))
            return TokenReading(np.zeros(len(READ)), of_source, of_target, np.full(len(source), -1), of_source)
        arrays = self.arrays
        cosine = directions(source - arrays["centre"]) @ directions(target - arrays["centre"]).T
        scores = arrays["sharpness"] * cosine
        hidden_sides = tuple(_gelu(self._layer("project", self._normalised(tokens))) for tokens in (source, target))
        to_target, to_source = _softmax(scores), _softmax(scores.T)
        tags, pools = zip(
            self._side("0", hidden_sides[0], to_target @ hidden_sides[1], cosine.max(1), (to_target * cosine).sum(1)),
            self._side("1", hidden_sides[1], to_source @ hidden_sides[0], cosine.max(0), (to_source * cosine.T).sum(1)),
            strict=True,
        )
        standard = ((numbers - arrays["numbers.middle"]) / arrays["numbers.scale"]).astype(np.float32)
        pooled_parts = np.concatenate([*pools, standard, arrays["pair.w"][pair], _gelu(self._layer("sentence", sentences))])
        labels = self._layer("label", _gelu(self._layer("join", pooled_parts)))
        columns = np.array([*labels, *(float(tag.mean()) for tag in tags)], np.float64)
        return TokenReading(columns, *tags, cosine.argmax(1), cosine.max(1))

    def _side(
        self, side: str, hidden_side: Float32s, opposite: Float32s, best: Float32s, mean: Float32s
    ) -> tuple[Float32s, Float32s]:
        """The probability that each token is wrong, and the summary of a side (2h + 2,)."""
        comparison = np.hstack(
            [hidden_side, opposite, hidden_side * opposite, np.abs(hidden_side - opposite), best[:, None], mean[:, None]]
        )
        hidden = _gelu(self._layer(f"compare.{side}", comparison))
        hidden = hidden + _gelu(self._context(side, hidden))
        wrong = 1 / (1 + np.exp(-self._layer(f"tag.{side}", hidden)[:, 0]))
        weight = _softmax(self._layer(f"attend.{side}", hidden).T)[0]
        parts = [weight @ hidden, hidden.mean(0), np.array([wrong.mean(), weight @ wrong], np.float32)]
        return np.asarray(wrong), np.concatenate(parts)

    def _context(self, side: str, hidden: Float32s) -> Float32s:
        """A convolution over a token and its two neighbours, zeros beyond the ends."""
        weights = self.arrays[f"context.{side}.w"]
        padded_rows = np.pad(hidden, ((1, 1), (0, 0)))
        out = sum(padded_rows[k : k + len(hidden)] @ weights[:, :, k].T for k in range(3))
        return np.asarray(out + self.arrays[f"context.{side}.b"])

    def _layer(self, name: str, values: Float32s) -> Float32s:
        return np.asarray(values @ self.arrays[f"{name}.w"].T + self.arrays[f"{name}.b"])

    def _normalised(self, tokens: Float32s) -> Float32s:
        deviations = tokens - tokens.mean(1, keepdims=True)
        scale = np.sqrt((deviations**2).mean(1, keepdims=True) + EPSILON)
        return np.asarray(deviations / scale * self.arrays["norm.w"] + self.arrays["norm.b"])


def _softmax(scores: Float32s) -> Float32s:
    exponentials = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(1, keepdims=True))


def _gelu(values: Float32s) -> Float32s:
    return np.asarray(values * np.float32(0.5) * (1 + erf(values / ROOT_OF_TWO)), np.float32)
