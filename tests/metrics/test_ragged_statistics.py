"""Ragged lists of hypotheses: every metric measures them as it measures one hypothesis per segment."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import METRICS, Metric, load_trained_metrics, metric_named
from app.settings import Settings

# Names that reach the different ways of counting of an entry; other entries are reached by their own names.
VARIANTS = {
    "bleu": ["bleu", "bleu|tok:intl|case:lc"],
    "chrf++": ["chrf++|case:lc"],
    "meteor": ["meteor|stem:en", "meteor", "meteor:1.5|lang:en"],
    "simpbleu": ["simpbleu:PABC4", "simpbleu:RGB3", "simpbleu:PGBC4|bp:plain|corpus:mean"],
    "sbleu": ["sbleu", "sbleu:add-one"],
    "order": ["order:kendall", "order:recpef|stem:en"],
    "beer": ["beer:2.0", "beer:mlqe-de", "beer:1.1-de"],
    "rose": ["rose:rank|lang:de", "rose:reg|lang:en"],
    "trained": ["trained:rose-rankpos-de|factored:yes"],
}
TRAINED = load_trained_metrics(Settings().models_dir / "metrics")
ALL = [name for entry in METRICS for name in VARIANTS.get(entry, [entry])]
WORDS = st.lists(st.sampled_from(["a", "b", "The", "cat", "ß", ".", "1,5", "a-b"]), max_size=8)


def made(name: str) -> Metric:
    return metric_named(name, TRAINED)


def text(name: str, words: list[str]) -> str:
    return " ".join(f"{word}|X{len(word)}" for word in words) if "factored" in name else " ".join(words)


def same(name: str, found: Float64s, expected: Float64s) -> None:
    """Equal; sums of weighted features may end a rounding error apart, since they depend on how many rows are multiplied at once."""
    learnt = name.startswith(("beer", "rose", "trained"))
    np.testing.assert_allclose(found, expected, rtol=1e-9 if learnt else 0, atol=1e-9 if learnt else 0)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=8)
@given(data=st.data())
def test_ragged_statistics_are_those_of_one_each(name: str, data: st.DataObject) -> None:
    size, references = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 2))
    lists = [[text(name, data.draw(WORDS)) for _ in range(size)] for _ in range(references)]
    own = data.draw(st.lists(st.integers(0, size - 1), max_size=7))
    hypotheses = [text(name, data.draw(WORDS)) for _ in own]
    prepared = made(name).prepare(lists)
    ragged = prepared.statistics(hypotheses, np.array(own, np.int64))
    # One hypothesis at a time among others that do not matter.
    for row, (segment, hypothesis) in enumerate(zip(own, hypotheses, strict=True)):
        full = [hypothesis if place == segment else "" for place in range(size)]
        same(name, ragged[row], prepared.statistics(full)[segment])
    assert len(ragged) == len(own)


@pytest.mark.parametrize("name", ALL)
def test_a_list_of_all_systems_is_the_systems_one_after_the_other(name: str) -> None:
    references = [text(name, row.split()) for row in ("the cat sat on the mat .", "a b c d", "")]
    systems = [
        [text(name, row.split()) for row in rows] for rows in (("the cat", "a c b", "x"), ("", "d c b a", ""), ("a", "a", "a"))
    ]
    prepared = made(name).prepare([references])
    together = prepared.statistics([row for rows in systems for row in rows], np.tile(np.arange(3), 3))
    same(name, together, np.concatenate([prepared.statistics(rows) for rows in systems]))
    same(name, together, np.concatenate(prepared.statistics_of_systems(systems)))


@pytest.mark.parametrize("name", ALL)
def test_hypotheses_without_a_segment_are_refused(name: str) -> None:
    prepared = made(name).prepare([[text(name, ["a"]), text(name, ["b"])]])
    hypothesis = text(name, ["a"])
    for hypotheses, own in (([hypothesis], None), ([hypothesis], [2]), ([hypothesis], [-1]), ([hypothesis], [0, 1])):
        with pytest.raises(InputError) as caught:
            prepared.statistics(hypotheses, None if own is None else np.array(own))
        assert caught.value.code == "unequal-lengths"


def test_real_lists(shared: Path) -> None:
    lines = (shared / "data" / "moses-mert" / "reference.0").read_text("utf-8").split("\n")[:4]
    pool = (shared / "data" / "moses-mert" / "reference.1").read_text("utf-8").split("\n")[:4]
    own = np.random.default_rng(1).integers(0, 4, 40)
    hypotheses = [pool[k % 4] for k in range(40)]
    for name in ALL:
        if "factored" in name:
            continue
        prepared = made(name).prepare([lines])
        # The same by the reference's text repeated.
        expected = made(name).prepare([[lines[segment] for segment in own]]).statistics(hypotheses)
        if not made(name).needs_all_references:
            same(name, prepared.statistics(hypotheses, own), expected)
