"""Files of Moses' extractor: read and written as Moses does, and tuned on without texts."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.operations.catalogue import OPERATIONS
from app.smt.operations.tune.extractor_scores import bleu_statistics, extractor_scores
from app.smt.tuning.pool import pool_of
from app.text.reading.extractor_files import feature_blocks, read_extractor_files, score_blocks
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists
from tests.commands import assay
from tests.smt.tuning.pools import DATA, read

# Moses' regression test mert.extractor-dups: its list, its reference, and the answer of its extractor.
NAMES = "d_0 d_1 d_2 d_3 d_4 d_5 d_6 lm_0 tm_0 tm_1 tm_2 tm_3 tm_4 w_0 "
LIST = """\
0 ||| mr president , we shall be in biarritz , look a little further .  ||| d= 0 -3.30693 0 0 -2.83036 0 0 lm= -47.2982 \
tm= -36.7163 -58.3679 -12.6473 -17.133 7.99917 w= -14 ||| -9.26049
0 ||| mr president , we shall be in biarritz , look a little further .  ||| d= 0 -2.85902 0 0 -2.70964 0 0 lm= -47.2982 \
tm= -37.6246 -59.1133 -13.0501 -18.2054 7.99917 w= -14 ||| -9.2814
"""
REFERENCE = "what i would also call for , however , is to look beyond immediate concerns in biarritz ."
FEATURES = f"""\
FEATURES_TXT_BEGIN_0 0 2 14 {NAMES}
0 -3.30693 0 0 -2.83036 0 0 -47.2982 -36.7163 -58.3679 -12.6473 -17.133 7.99917 -14 
0 -2.85902 0 0 -2.70964 0 0 -47.2982 -37.6246 -59.1133 -13.0501 -18.2054 7.99917 -14 
FEATURES_TXT_END_0
"""  # noqa: W291
SCORES = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 14 1 13 0 12 0 11 18 
6 14 1 13 0 12 0 11 18 
SCORES_TXT_END_0
"""  # noqa: W291
RUNS = [DATA / "moses-mert" / f"run{number}.nbest.gz" for number in range(1, 4)]


def read_texts(features: str | bytes, scores: str | bytes) -> Any:
    raw = [text.encode() if isinstance(text, str) else text for text in (features, scores)]
    return read_extractor_files([TextFile("features", raw[0])], [TextFile("scores", raw[1])])


def bleu_of(lists: Any, references: Sequence[Sequence[str]]) -> Any:
    return metric_named("bleu|tok:none").prepare(references).statistics(lists.texts, lists.segments)


def test_the_answer_of_moses_extractor() -> None:
    lists = read_lists([TextFile("list", LIST.encode())]).lists
    assert b"".join(feature_blocks(lists)).decode() == FEATURES
    assert b"".join(score_blocks(extractor_scores(bleu_of(lists, [[REFERENCE]]), lists.segments))).decode() == SCORES
    read = read_texts(FEATURES, SCORES)
    assert read.lists.names == lists.names
    assert np.array_equal(read.lists.features, lists.features)
    assert np.array_equal(bleu_statistics(read.statistics), bleu_of(lists, [[REFERENCE]]))


def test_binary_files_are_floats_between_headings() -> None:
    rows = [[0.5, -1.25], [3.0, 2.0**-20]]
    features = b"FEATURES_BIN_BEGIN_0 1 2 2 lm_0 w_0 \n" + struct.pack("<4f", *rows[0], *rows[1]) + b"FEATURES_BIN_END_0\n"
    counts = [3, 5, 2, 4, 1, 3, 0, 2, 6]
    scores = b"SCORES_BIN_BEGIN_0 1 2 9 BLEU\n" + struct.pack("<18f", *counts, *counts) + b"SCORES_BIN_END_0\n"
    read = read_texts(features, scores)
    assert (read.lists.names, read.lists.lengths.tolist()) == (("lm", "w"), [0, 2])
    assert read.lists.features.tolist() == rows
    assert bleu_statistics(read.statistics)[0].tolist() == [5, 6, 3, 2, 1, 0, 5, 4, 3, 2]
    assert b"".join(feature_blocks(read.lists, binary=True)) == features
    assert b"".join(score_blocks(read.statistics, binary=True)) == scores


@given(
    st.lists(st.lists(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), max_size=4), min_size=1, max_size=5).filter(
        any
    ),
    st.booleans(),
)
def test_written_files_are_read_alike(segments: list[list[list[float]]], binary: bool) -> None:
    form = "BIN" if binary else "TXT"

    def block(kind: str, number: int, rows: list[list[float]], names: str) -> bytes:
        flat = [value for row in rows for value in row]
        content = (
            struct.pack(f"<{len(flat)}f", *flat) if binary else "".join(" ".join(map(repr, row)) + "\n" for row in rows).encode()
        )
        return f"{kind}_{form}_BEGIN_0 {number} {len(rows)} 3 {names}\n".encode() + content + f"{kind}_{form}_END_0\n".encode()

    # In any order, as after several runs.
    blocks = [(k, rows) for k, rows in enumerate(segments) if rows][::-1]
    read = read_texts(
        b"".join(block("FEATURES", k, rows, "a_0 a_1 b_0 ") for k, rows in blocks),
        b"".join(block("SCORES", k, rows, "ANY") for k, rows in blocks),
    )
    expected = [row for rows in segments for row in rows]
    assert read.lists.features.tolist() == expected
    assert read.statistics.rows.tolist() == expected
    again = read_texts(b"".join(feature_blocks(read.lists, binary)), b"".join(score_blocks(read.statistics, binary)))
    exact = np.array(expected) if binary else np.array([[float(f"{value:g}") for value in row] for row in expected])
    assert np.array_equal(again.lists.features, exact)
    assert again.lists.lengths.tolist() == read.lists.lengths.tolist()


def test_sparse_features_and_features_without_names() -> None:
    features = "FEATURES_TXT_BEGIN_0 0 2 1 lm_0 \n1 pp_a=0.5 \n2 \nFEATURES_TXT_END_0\n"
    scores = "SCORES_TXT_BEGIN_0 0 2 1 X\n1\n2\nSCORES_TXT_END_0\n"
    lists = read_texts(features, scores).lists
    assert [lists.named(h) for h in range(2)] == [{"lm": [1], "pp_a": [0.5]}, {"lm": [2]}]
    unnamed = "FEATURES_TXT_BEGIN_0 0 2 2 \n1 3\n2 4\nFEATURES_TXT_END_0\n"
    assert read_texts(unnamed, scores).lists.named(1) == {"score": [2, 4]}


@pytest.mark.parametrize(
    ("features", "scores", "detail"),
    [
        (FEATURES.replace("_END_", "_FIN_"), SCORES, "line 4 of features: 2 rows of segment 0 must end with FEATURES_TXT_END_0"),
        (FEATURES.replace(" 0 2 14 ", " 0 3 14 "), SCORES, "line 4 of features: a row has finite numbers"),
        (FEATURES.replace("-17.133", "nan"), SCORES, "line 2 of features"),
        (FEATURES.replace("-17.133 ", ""), SCORES, "a row of this block has 14 numbers, not 13"),
        (FEATURES.replace(" 0 2 14 ", " 0 2 x "), SCORES, "whole numbers"),
        (SCORES, FEATURES, "line 1 of features: a block begins with FEATURES_TXT_BEGIN_0"),
        (FEATURES, SCORES.replace("BEGIN_0 0", "BEGIN_0 1"), "segment 0 has 2 hypotheses with features, but 0 with scores"),
        (FEATURES, SCORES + SCORES.replace("BLEU", "TER"), "must be of one score"),
        (FEATURES, "", "no hypotheses"),
        ("", SCORES, "no hypotheses"),
        (b"FEATURES_BIN_BEGIN_0 0 99999999999 14 x\nabc", SCORES, "but the file ends"),
        (b"FEATURES_BIN_BEGIN_0 0 1 1 x\n\0\0\xc0\x7fFEATURES_BIN_END_0\n", SCORES, "must be finite"),
    ],
)
def test_bad_files_are_refused_by_line(features: str | bytes, scores: str | bytes, detail: str) -> None:
    with pytest.raises(InputError) as refused:
        read_texts(features, scores)
    assert detail in refused.value.detail


@pytest.mark.parametrize(
    ("scores", "detail"), [(SCORES.replace("BLEU", "TER"), "score TER"), (SCORES.replace("6 14", "15 14"), "segment 0")]
)
def test_other_scores_are_refused_by_name(scores: str, detail: str) -> None:
    with pytest.raises(InputError, match=detail):
        bleu_statistics(read_texts(FEATURES, scores).statistics)


def write_run(folder: Path, path: Path, number: int, binary: bool) -> tuple[str, str]:
    """Files of a real list of Moses as the extractor would write them, statistics counted by sacreBLEU."""
    references = [read(DATA / "moses-mert" / f"reference.{k}") for k in range(3)]
    lists = read_lists([path], merge=False).lists
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    rows = []
    for segment, text in zip(lists.segments.tolist(), lists.texts, strict=True):
        score = metric.corpus_score([text], [[column[segment]] for column in references])
        rows.append([*(n for pair in zip(score.counts, score.totals, strict=True) for n in pair), score.ref_len])
    blocks = extractor_scores(np.ones((len(rows), 10)), lists.segments)
    statistics = type(blocks)("BLEU", lists.segments, np.array(rows, np.float64))
    names = folder / f"run{number}.features.dat", folder / f"run{number}.scores.dat"
    names[0].write_bytes(b"".join(feature_blocks(lists, binary)))
    names[1].write_bytes(b"".join(score_blocks(statistics, binary)))
    return str(names[0]), str(names[1])


@pytest.mark.skipif(not RUNS[0].exists(), reason="the shared lists of Moses are not on this machine")
def test_tuning_on_files_equals_tuning_on_texts(tmp_path: Path) -> None:
    files = [write_run(tmp_path, path, number, binary=number == 2) for number, path in enumerate(RUNS)]
    references = [f"--reference=r{k}={DATA / 'moses-mert' / f'reference.{k}'}" for k in range(3)]
    options = ["--method", "mert|restarts:3", "--metric", "bleu|tok:none", "--format", "json"]
    (features, scores), *_ = files
    by_files = assay("nbest", "tune", features, "--scores", scores, *options)
    by_texts = assay("nbest", "tune", str(RUNS[0]), *references, *options)
    assert (by_files.returncode, by_texts.returncode) == (0, 0), by_files.stderr + by_texts.stderr
    answers = [json.loads(done.stdout) for done in (by_files, by_texts)]
    for name in ("dev_score", "first_score", "oracle_score"):
        assert answers[0][name] == pytest.approx(answers[1][name], abs=1e-9), name
    assert answers[0]["weights"]["weights"].keys() == answers[1]["weights"]["weights"].keys()
    # Several runs join segment by segment, as the prefixes of mert's --scfile and --ffile.
    several = assay(
        "nbest", "tune", *(name for name, _ in files), *(part for _, name in files for part in ("--scores", name)), *options
    )
    assert several.returncode == 0, several.stderr
    merged = read_lists(RUNS, merge=False).lists
    joined = read_extractor_files([Path(name) for name, _ in files], [Path(name) for _, name in files])
    texts = [read(DATA / "moses-mert" / f"reference.{k}") for k in range(3)]
    expected = pool_of(merged, metric_named("bleu|tok:none"), texts)
    assert np.array_equal(bleu_statistics(joined.statistics), expected.statistics)
    assert json.loads(several.stdout)["oracle_score"] >= answers[0]["oracle_score"]
    fields = OPERATIONS["tune"].read_files
    assert fields is not None
    of_form = fields({"n_best": Path(features).read_bytes(), "scores": Path(scores).read_bytes()})
    assert np.array_equal(of_form["n_best"].features, read_lists([RUNS[0]], merge=False).lists.features)


@pytest.mark.parametrize("binary", [False, True])
def test_the_command_writes_what_moses_writes(tmp_path: Path, binary: bool) -> None:
    (tmp_path / "list").write_text(LIST)
    (tmp_path / "reference").write_text(f"{REFERENCE}\n")
    outputs = ["--features", str(tmp_path / "f"), "--scores", str(tmp_path / "s"), *["--binary"] * binary]
    done = assay("nbest", "extract", str(tmp_path / "list"), "-r", str(tmp_path / "reference"), *outputs)
    assert done.returncode == 0, done.stderr
    if binary:
        rows = [float(number) for line in FEATURES.splitlines()[1:3] for number in line.split()]
        assert struct.pack("<28f", *rows) in (tmp_path / "f").read_bytes()
    else:
        assert (tmp_path / "f").read_text() == FEATURES
        assert (tmp_path / "s").read_text() == SCORES
    tuned = assay("nbest", "tune", str(tmp_path / "f"), "--scores", str(tmp_path / "s"), "--format", "json")
    assert json.loads(tuned.stdout)["first_score"] == pytest.approx(0, abs=10)
    refused = assay(
        "nbest", "extract", str(tmp_path / "list"), "-r", str(tmp_path / "reference"), *outputs, "--replace", "-m", "chrf"
    )
    assert "tune towards bleu" in refused.stderr


def test_what_goes_beside_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(FEATURES)
    (tmp_path / "s").write_text(SCORES)
    tuning = ["nbest", "tune", str(tmp_path / "f"), "--scores", str(tmp_path / "s")]
    assert "in place of texts" in assay(*tuning, "-r", str(tmp_path / "s")).stderr
    assert "tune towards bleu" in assay(*tuning, "--metric", "chrf").stderr
    assert "tune with scores beside it" in assay("nbest", "tune", str(tmp_path / "f"), "-r", str(tmp_path / "s")).stderr
