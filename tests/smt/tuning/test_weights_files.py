"""Weights as files: our own, and those of Moses' tuning loop."""

import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.smt.tuning.method import TuningData
from app.smt.tuning.moses_weights import (
    dense_lines,
    mira_lines,
    point_line,
    read_any_weights,
    read_moses_weights,
    sparse_lines,
    with_weights,
)
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import FeatureWeights
from app.smt.tuning.weights_file import TunedWeightsFile, card_of, read_weights, write_weights
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists

BLEU = "bleu|tok:none|smooth:none"
ROWS = st.lists(st.floats(1e-9, 1e9) | st.floats(-1e9, -1e-9), min_size=1, max_size=4)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
# Sections as EMS writes them, and as Moses did before.
NEW_INI = (
    "#########################\r\n[input-factors]\n0\n\n[feature]\nWordPenalty name=W0\n\n[weight]\n"
    "Distortion0= 0.3\nTranslationModel0=  0.2 0.2\t0.2 0.2  # four\n  LM0= 5e-1\n\n[distortion-limit]\n6"
)
OLD_INI = "[ttable-limit]\n20\n# weights\n[weight-d]\n0.4\n0.15\n0.15\n\n[weight-l]\n0.5 # \xe9\n[weight-t]\n0.2\n0.2\n\n[weight-w]\n-1.0\n[verbose]\n0\n"
# `weights.txt` of the fifth iteration of a run of mert-moses.pl, and its features (Moses, regression tests, mert-moses-new).
RUN_5 = (
    b"0.0836727 0.135627 0.0602366 0.0263658 0.043897 0.0146552 0.0770568 0.112996 0.0437857 0.0206718 0.133082 0.0821608 "
    b"-0.101029 -0.0647629 \n"
)
RUN_NAMES = ["d", "d", "d", "d", "d", "d", "d", "lm", "w", "tm", "tm", "tm", "tm", "tm"]
# What the same run's other weights were, and what its mert said that they reach on the lists so far.
TOOLKIT = (
    (
        "0.135584 0.176868 0.0354955 0.0443988 0.0634676 0.0161211 0.0488261 0.116316 0.0848657 0.0484036 0.0884138 0.0564864 "
        "-0.0773292 0.00742456",
        0.379034,
    ),
    (
        "0.138349 0.180475 0.0362194 0.0453043 0.064762 0.0164499 0.0498219 0.118688 0.0865965 0.0493908 0.0698222 0.0576384 "
        "-0.0789063 0.00757598",
        0.405846,
    ),
    (
        "0.00389216 0.0607921 0.6852 0.000631749 0.0072098 0.188285 0.02102 0.0100187 0.00187868 0.00206737 0.00700579 0.00555435 "
        "0.00506872 0.00137503",
        0.396422,
    ),
)


@given(st.dictionaries(NAMES, ROWS, min_size=1, max_size=5), st.dictionaries(NAMES, st.integers() | NAMES | st.none()))
def test_weights_and_their_card_come_back(values: dict[str, list[float]], card: dict[str, object]) -> None:
    file = TunedWeightsFile(FeatureWeights({name: tuple(row) for name, row in values.items()}), card)
    raw = write_weights(file)
    assert read_weights(raw) == file
    assert write_weights(read_weights(raw)) == raw
    assert read_any_weights(b"\xef\xbb\xbf " + raw) == file


@pytest.mark.parametrize(
    ("weights", "where"),
    [
        ('{"a": [NaN]}', ()),
        ('{"a": [Infinity]}', ()),
        ('{"a": [1e999]}', ("weights", "a", 0)),
        ('{"a": [1, 1' + "0" * 400 + "]}", ("weights", "a", 1)),
        ('{"a": [0, 0.0], "b": [-0.0]}', ("weights",)),
        ('{"a": [1e-39]}', ("weights",)),
        ("{}", ("weights",)),
        ('{"a": []}', ("weights", "a")),
        ('{"a": 1}', ("weights", "a")),
        ('{"a": ["1"]}', ("weights", "a", 0)),
        ('{"a": [true]}', ("weights", "a", 0)),
        ('{"a": [null]}', ("weights", "a", 0)),
        ('{"a": [1], "a": [2]}', ()),
        ('{"\\ud800": [1]}', ("weights",)),
        ("[1]", ("weights",)),
        ("[" * 100_000, ()),
    ],
)
def test_what_is_no_weights_is_refused_with_its_place(weights: str, where: tuple[str | int, ...]) -> None:
    raw = f'{{"format": "assay-weights", "version": 1, "weights": {weights}}}'.encode()
    with pytest.raises(InputError) as caught:
        read_weights(raw, "f.json")
    assert caught.value.code == "invalid-weights"
    assert caught.value.where == ("f.json", *where)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"format": "assay-weights", "version": 2, "weights": {"a": [1]}}',
        b'{"format": "assay-weights", "version": 1, "weights": {"a": [1]}, "card": 7}',
    ],
)
def test_what_is_no_file_of_weights_is_refused(raw: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_weights(raw)
    assert caught.value.code == "invalid-weights"


FILE = {"format": "assay-weights", "version": 1, "weights": {"d": [0.2, -0.1], "lm": [0.7]}, "card": {"seed": 3}}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("content", [FILE, {"dev_score": 31.4, "segments": [], "weights": FILE}], ids=["file", "answer"])
def test_weights_are_read_from_the_answer_of_a_tuning_and_by_their_byte_order_mark(encoding: str, content: object) -> None:
    file = read_any_weights(json.dumps(content).encode(encoding))
    assert file.weights.values == {"d": (0.2, -0.1), "lm": (0.7,)}
    assert file.card == {"seed": 3}


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_moses_files_in_utf_16_are_read_and_what_only_says_so_is_refused(mark: bytes) -> None:
    little = mark == b"\xff\xfe"
    text = "# Gewichte für d\nd= 0.4 0.15\nlm= 0.5\n"
    assert read_moses_weights(mark + text.encode(f"utf-16-{'le' if little else 'be'}")).values == {"d": (0.4, 0.15), "lm": (0.5,)}
    with pytest.raises(InputError, match="byte-order mark"):
        read_any_weights(mark + b"odd", name="f.txt")


def test_an_answer_names_the_place_of_a_wrong_weight() -> None:
    with pytest.raises(InputError) as caught:
        read_weights(json.dumps({"weights": {**FILE, "weights": {"d": ["1"]}}}).encode(), "f.json")
    assert caught.value.where == ("f.json", "weights", "weights", "d", 0)


@pytest.mark.parametrize("raw", [b"[[[[", b"[" * 100_000, b'["lm", 0.5]', b"[]"])
def test_an_array_is_no_section_of_a_moses_ini(raw: bytes) -> None:
    with pytest.raises(InputError, match=r"JSON|expected an object"):
        read_any_weights(raw)


@pytest.mark.parametrize("values", [{"a": (float("nan"),)}, {"a": (0.0,)}, {}, {"a": (float("inf"),)}, {"\ud800": (1.0,)}])
def test_what_could_not_be_read_is_not_written(values: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(InputError):
        write_weights(TunedWeightsFile(FeatureWeights(values)))


def test_a_card_says_where_weights_are_from() -> None:
    lists = NBestLists.from_json(
        [
            [
                {"text": "a b c d", "score": 0.0, "features": {"x": [1.0], "y_z": [0.5]}},
                {"text": "e", "score": 1.0, "features": {"x": [2.0]}},
            ]
        ]
    )
    references, metric = [["a b c d"]], metric_named(BLEU)
    pool = pool_of(lists, metric, references)
    tuned = tune(TuningData(pool, np.ones(pool.features.width)), "mert", (1, 2))
    card = card_of(tuned, metric, lists, references)
    file = TunedWeightsFile(FeatureWeights.of(pool.names, tuned.best.weights), card)
    again = read_weights(write_weights(file))
    assert again.card == json.loads(json.dumps(card))
    assert pool.score(again.weights.of_columns(pool.names)) == card["dev_score"] == 100.0
    assert card["data"]["hypotheses"] == 2
    assert card["seeds"] == [1, 2]
    assert "nrefs:1" in card["metric"]
    # The checksum is of what the lists say, not of how.
    other = NBestLists.from_json(lists.as_json())
    assert card_of(tuned, metric, other, references)["data"] == card["data"]
    assert card_of(tuned, metric, other, [["a"]])["data"]["sha256"] != card["data"]["sha256"]


def test_weights_of_a_new_moses_ini() -> None:
    weights = read_moses_weights(NEW_INI.encode())
    assert weights.values == {"Distortion0": (0.3,), "TranslationModel0": (0.2, 0.2, 0.2, 0.2), "LM0": (0.5,)}
    changed = with_weights(
        NEW_INI.encode(), FeatureWeights({"TranslationModel0": (0.1, -0.2, 3.0, 4e-7), "LM0": (1.0,), "wt_a~b": (2.0,)})
    )
    expected = NEW_INI.replace("  0.2 0.2\t0.2 0.2", "  0.1 -0.2\t3 4e-07").replace("LM0= 5e-1", "LM0= 1")
    assert changed.decode() == expected
    assert with_weights(NEW_INI.encode(), weights) == NEW_INI.replace("5e-1", "0.5").encode()


def test_weights_of_an_old_moses_ini() -> None:
    raw = OLD_INI.encode("latin-1")
    weights = read_moses_weights(raw)
    assert weights.values == {"d": (0.4, 0.15, 0.15), "lm": (0.5,), "tm": (0.2, 0.2), "w": (-1.0,)}
    changed = with_weights(raw, FeatureWeights({"d": (1.0, 2.0, 3.0), "w": (0.25,)}))
    assert changed == OLD_INI.replace("0.4\n0.15\n0.15", "1\n2\n3").replace("-1.0", "0.25").encode("latin-1")


@pytest.mark.parametrize("weights", [{"d": (1.0,)}, {"unknown": (1.0,)}, {"LM0": (1.0, 2.0)}])
def test_weights_that_a_moses_ini_has_no_place_for_are_refused(weights: dict[str, tuple[float, ...]]) -> None:
    for ini in (NEW_INI, OLD_INI):
        with pytest.raises(InputError) as caught:
            with_weights(ini.encode(), FeatureWeights(weights))
        assert caught.value.code == "missing-weights"


def test_points_bounds_and_lines_of_names() -> None:
    names, values = ("d", "d", "lm", "wt_a"), np.array([0.25, -1.0, 1e-7, 3.0])
    dense = FeatureWeights({"d": (0.25, -1.0), "lm": (1e-7,)})
    assert read_moses_weights(point_line(values[:3]).encode(), names[:3]) == dense
    bounded = "".join((point_line(values[:3]), "-1 -1 -1\n", "1 1 1\n"))
    assert read_moses_weights(bounded.encode(), names[:3]) == dense
    assert read_moses_weights(dense_lines(names[:3], values[:3]).encode()) == dense
    whole = FeatureWeights.of(names, values)
    assert read_moses_weights(mira_lines(names, values).encode(), names[:3]) == whole
    assert sparse_lines(whole) == "wt_a 3\n"
    assert read_moses_weights(b"wt_a= 3\n").values == {"wt_a": (3.0,)}
    listed = b"Distortion0= 0.3\nUnknownWordPenalty0 UNTUNEABLE\nLM0= UNTUNEABLECOMPONENT 0.5\n"
    assert read_moses_weights(listed).values == {"Distortion0": (0.3,), "LM0": (0.5,)}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not used\n",
        b"1 2\n",
        b"1 2 3\n0 0\n1 1 1\n",
        b"1 nan 3\n",
        b"0 0 0\n",
        b"d= x\n",
        b"d\n",
        b"F7 1\n",
        b"[weight]\nLM0 0.5\n",
        b"[weight]\nLM0= a\n",
        b"[weight-d]\ninf\n",
        b"[weight]\n",
        b"= 3\n",
    ],
)
def test_what_is_of_no_form_of_moses_is_refused(raw: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_moses_weights(raw, ("a", "b", "c"))
    assert caught.value.code == "invalid-weights"


def test_weights_of_the_toolkit_reach_on_merged_lists_what_it_said(shared: Path) -> None:
    folder = shared / "data" / "moses-mert"
    references = [folder / f"reference.{k}" for k in range(3)]
    merged = read_lists([folder / f"run{k}.nbest.gz" for k in range(1, len(TOOLKIT) + 1)], references=references)
    pool = pool_of(merged.lists, metric_named(BLEU), merged.references)
    for run, (weights, score) in enumerate(TOOLKIT):
        columns = read_moses_weights(weights.encode(), RUN_NAMES).of_columns(pool.names)
        # What the toolkit had of a run were the lists of this one and those before.
        totals = np.where(merged.origins <= run, pool.features @ columns, -np.inf)
        chosen = [start + totals[start:end].argmax() for start, end in itertools.pairwise(pool.offsets)]
        assert pool.score_of(np.array(chosen)) / 100 == pytest.approx(score, abs=1e-6)
    assert read_moses_weights(RUN_5, RUN_NAMES).values["tm"] == (0.0206718, 0.133082, 0.0821608, -0.101029, -0.0647629)
    with gzip.open(folder / "run1.nbest.gz") as file:
        assert read_lists([TextFile("lists", file.read())]).lists.names == tuple(RUN_NAMES)
