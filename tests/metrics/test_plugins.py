"""Metrics of other packages, and what every metric promises."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric, MetricEntry, PreparedMetric, metric_named, register_metric, registry, score_systems
from app.metrics.definition import Segments, reference_rows
from app.metrics.scoring import Significance


class LengthRatio(Metric):
    """Words of the hypothesis per 100 words of the first reference."""

    name = "length-ratio"
    unit = "words per 100 reference words"
    range = (0.0, None)

    def prepare(self, references: Sequence[Segments]) -> PreparedMetric:
        class Counted(PreparedMetric):
            def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
                words = np.array([len(text.split()) for text in references[0]])[
                    reference_rows(len(hypotheses), len(references[0]), reference_of)
                ]
                return np.column_stack([[len(text.split()) for text in hypotheses], words]).astype(float)

        return Counted()

    def score(self, sums: Float64s) -> Float64s:
        return np.asarray(100 * sums[:, 0] / np.maximum(sums[:, 1], 1))

    def options(self) -> str:
        return "tok:none"


@pytest.fixture
def registered() -> Iterator[None]:
    register_metric(MetricEntry("length-ratio", "a ratio", {}, "a test", lambda asked: LengthRatio()))
    yield
    del registry._ENTRIES["length-ratio"]


@pytest.mark.usefixtures("registered")
def test_a_metric_of_ones_own_gets_intervals_and_tests() -> None:
    metrics = {"length-ratio": metric_named("length-ratio")}
    systems = {"a": ["x y", "z"], "b": ["x", "z"]}
    rows = score_systems(metrics, systems, {"r": ["x y", "z"]}, segments=True, significance=Significance(samples=100))
    assert [row.score for row in rows] == [100.0, pytest.approx(200 / 3)]
    assert rows[1].interval is not None and rows[1].against_baseline is not None
    assert rows[1].segments == (50.0, 100.0)
    assert rows[0].signature.startswith("nrefs:1|bs:100|seed:12345|tok:none|impl:assay-")


@pytest.mark.usefixtures("registered")
def test_names_are_taken_once() -> None:
    for name in ("bleu", "length-ratio", "a:b", "a|b", ""):
        with pytest.raises(ValueError, match="cannot be called"):
            register_metric(MetricEntry(name, "", {}, "", lambda asked: LengthRatio()))
    with pytest.raises(InputError, match="length-ratio has no options"):
        metric_named("length-ratio|case:lc")


@pytest.mark.parametrize(
    "name",
    [
        "bleu|eff:yes|smooth:floor[0.05]",
        "bleu|smooth:add-k[2]",
        "chrf|nc:4|nw:1",
        "ter|norm:yes",
        "order:recpef|beta:0.3|stem:de|lex:bleu1",
        "nist|case:lc",
    ],
)
def test_a_signatures_options_can_be_pasted_back(name: str) -> None:
    metric = metric_named(name)
    head = name.partition("|")[0]
    known = {"tok", "case", "eff", "smooth", "nc", "nw", "space", "norm", "punct", "asian", "alpha", "beta", "lex", "stem"}
    parts = [part for part in metric.options().split("|") if part.partition(":")[0] in known]
    assert metric_named("|".join([head, *parts])).signature(1) == metric.signature(1)
