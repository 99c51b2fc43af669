"""Files of n-best lists: every form says the same, many files become one set of lists."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.smt.tuning.pool import pool_of
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import ReadLists, read_lists
from app.text.reading.n_best_lists.bars import read_n_best

MOSES = "0 ||| a b ||| d= 0 -1 lm= -2.5 ||| -3\n0 ||| a ||| d= 1 2 ||| -4\n2 ||| c ||| lm= 1 ||| -5 ||| 0-0\n"
COLONS = "0 ||| a b ||| d: 0 -1 lm: -2.5 ||| -3\n\n0 ||| a ||| d: 1 2 ||| -4\n2||| c  ||| lm: 1 ||| -5\r\n"
CDEC = "0 ||| a b ||| d=0 d=-1 lm=-2.5 ||| -3 ||| 0.12\n0 ||| a ||| d=1 d=2 ||| -4\n2 ||| c ||| lm=1 ||| -5\n"
OBJECTS = (
    '{"segment": 0, "text": "a b", "score": -3, "features": {"d": [0, -1], "lm": -2.5}}\n'
    '{"segment": 0, "text": "a", "score": -4.0, "features": {"d": [1, 2]}}\n'
    '{"segment": 2, "text": "c", "score": -5, "features": {"lm": 1}}\n'
)
SEGMENTS = (
    '{"n_best": [{"text": "a b", "score": -3, "features": {"d": [0, -1], "lm": [-2.5]}},'
    ' {"text": "a", "score": -4, "features": {"d": [1, 2]}}]}\n'
    "[]\n"
    '[{"text": "c", "score": -5, "features": {"lm": 1}}]\n'
)
TABLE = "segment\ttext\tscore\td\td\tlm\n0\ta b\t-3\t0\t-1\t-2.5\n0\ta\t-4\t1\t2\t\n2\tc\t-5\t\t\t1\n"
SAME = [MOSES, COLONS, CDEC, OBJECTS, SEGMENTS, TABLE]


def read(*texts: str | bytes, **options: object) -> ReadLists:
    raws = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts]
    return read_lists([TextFile(f"f{k}", raw) for k, raw in enumerate(raws)], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", SAME)
def test_all_forms_say_the_same(text: str, tmp_path: Path) -> None:
    lists = read(text).lists
    assert lists.as_json() == [
        [
            {"text": "a b", "score": -3, "features": {"d": [0, -1], "lm": [-2.5]}},
            {"text": "a", "score": -4, "features": {"d": [1, 2]}},
        ],
        [],
        [{"text": "c", "score": -5, "features": {"lm": [1]}}],
    ]
    path = tmp_path / "lists.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert read_lists([path]).lists.as_json() == lists.as_json()
    opened = TextFile("upload", io.BytesIO(b"\xef\xbb\xbf" + text.encode()))
    assert read_lists([opened]).lists.as_json() == lists.as_json()
    # What `as_json` says is read again, a segment a line.
    again = "\n".join(json.dumps(row) for row in lists.as_json())
    assert read(again).lists.as_json() == lists.as_json()


def test_files_are_merged_by_segment_and_duplicates_are_one() -> None:
    first = "0 ||| a ||| d= 1 ||| -1\n1 ||| b ||| d= 2 ||| -2\n0 ||| a ||| d= 1 ||| -9\n"
    second = "1 ||| b ||| d= 3 ||| -3\n1 ||| b ||| d= 2 ||| -7\n0 ||| a b ||| d= 1 ||| -1\n"
    merged = read(first, second)
    assert merged.lists.offsets.tolist() == [0, 2, 4]
    assert list(merged.lists.texts) == ["a", "a b", "b", "b"]
    assert merged.lists.scores.tolist() == [-1, -1, -2, -3]
    assert merged.origins.tolist() == [0, 1, 0, 1]
    assert merged.copies.tolist() == [2, 1, 2, 1]
    assert [(file.hypotheses, file.new) for file in merged.files] == [(3, 2), (3, 2)]
    whole = read(first, second, merge=False)
    assert whole.lists.lengths.tolist() == [3, 3]
    assert whole.lists.scores.tolist() == [-1, -9, -1, -2, -3, -7]


def test_references_and_sources_stand_beside_lists() -> None:
    references = [TextFile("r0", b"r\ns\nt\n"), TextFile("r1", gzip.compress(b"u\nv\nw"))]
    both = read("0 ||| a ||| d= 1 ||| 1\n", references=references, sources=TextFile("s", b"x\ny\nz\n"))
    assert both.lists.lengths.tolist() == [1, 0, 0]
    assert both.references == (("r", "s", "t"), ("u", "v", "w"))
    assert both.sources == ("x", "y", "z")
    own = read(
        '{"source": "x", "references": ["r", "u"], "n_best": []}\n{"n_best": [{"text": "a"}], "source": "y", "references": ["s", "v"]}'
    )
    assert own.sources == ("x", "y")
    assert own.references == (("r", "s"), ("u", "v"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-input"),
        ("\n\n", "empty-input"),
        ("hello\n", "unknown-format"),
        ("[]\n", "empty-input"),
        ("0 ||| a ||| d= nan ||| 1\n", "invalid-table"),
        ("0 ||| a ||| d= 1 ||| inf\n", "invalid-table"),
        ('{"segment": 0, "text": "a", "features": {"d": NaN}}', "invalid-table"),
        ('{"segment": 0, "text": "a", "features": {"d": 1e999}}', "invalid-table"),
        ('{"segment": 0, "text": "a", "features": {"d": true}}', "invalid-table"),
        ('{"segment": 0, "text": "a", "features": [1]}', "invalid-table"),
        ('{"segment": 0, "text": "\\ud800"}', "invalid-character"),
        ('{"segment": -1, "text": "a"}', "invalid-table"),
        ('{"segment": 1e9, "text": "a"}', "invalid-table"),
        ('{"text": "a"}', "invalid-table"),
        ('{"n_best": {}}', "invalid-table"),
        ('{"n_best": [7]}', "invalid-table"),
        ('{"segment"', "invalid-document"),
        ("segment\ttext\td\n0\ta\n", "invalid-table"),
        ("segment\ttext\td\n0\ta\tx\n", "invalid-table"),
        ("segment\ttext\td\n-1\ta\t1\n", "invalid-table"),
        ("segment\ttext\t\n0\ta\t1\n", "invalid-table"),
        (b"0 ||| \xff ||| d= 1 ||| 1\n", "invalid-encoding"),
        (b"0 ||| a\0 ||| d= 1 ||| 1\n", "invalid-character"),
        (gzip.compress(b"0 ||| a ||| d= 1 ||| 1\n" * 1000, mtime=0)[:-20], "invalid-encoding"),
    ],
)
def test_what_is_no_list_is_refused(text: str | bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.code == code


def test_what_is_packed_may_not_be_far_more_than_it_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packed = gzip.compress(b"0 ||| a ||| d= 1 ||| 1\n" * 1000)
    monkeypatch.setattr("app.text.reading.n_best_lists.opening.LARGEST_FILE", 10_000)
    with pytest.raises(InputError) as caught:
        read(packed)
    assert caught.value.code == "document-too-large"
    # A file of one's own may be as large as it is.
    path = tmp_path / "lists.gz"
    path.write_bytes(packed)
    assert read_lists([path]).copies.tolist() == [1000]


def test_a_line_may_not_be_as_long_as_a_file() -> None:
    raw = b"0 ||| " + b"a" * 700_000 + b" ||| d= 1 ||| 1\n"
    assert len(read(raw).lists.texts[0]) == 700_000
    with pytest.raises(InputError) as caught:
        read_lists([TextFile("f", b"0 ||| a ||| d= 1 ||| 1\n" + raw, 1000)])
    assert caught.value.code == "segment-too-long"
    assert caught.value.where == ("f", 2)


def test_bad_lines_are_named_by_their_number_wherever_they_stand() -> None:
    good = b"3 ||| a b c ||| lm= -1.5 ||| -2\n\n"
    for before in (0, 1, 30_000):
        for bad in (
            b"3 ||| a ||| lm= x ||| 1",
            b"3 ||| a ||| lm= 1 ||| ",
            b"a ||| b ||| lm= 1 ||| 1",
            b"3 ||| \xff ||| lm= 1 ||| 1",
            b"0 ||| 0",
        ):
            with pytest.raises(InputError) as caught:
                read(good * before + bad + b"\n" + good, form="moses")
            assert caught.value.where == ("f0", 2 * before + 1)


def test_empty_texts_and_texts_of_any_direction_are_texts() -> None:
    lists = read("0 |||  ||| lm= 1 ||| -1\n0 ||| ||| lm= 2 ||| -2\n1 ||| שלום עולם ||| lm= 1 ||| 1\n").lists
    assert list(lists.texts) == ["", "", "שלום עולם"]
    pool = pool_of(lists, metric_named("chrf"), [["", "שלום"]])
    assert np.isfinite(pool.gains).all()


@pytest.mark.parametrize("huge", ["1e300", "-2e15"])
def test_features_that_no_weight_could_be_tuned_for_are_refused_dense_or_sparse(huge: str) -> None:
    lines = "".join(f"0 ||| a ||| lm= 1 s{k}= {huge if k == 4000 else 1} ||| 1\n" for k in range(5000))
    for text in (f"0 ||| a ||| lm= {huge} ||| 1\n", lines):
        with pytest.raises(InputError) as caught:
            pool_of(read(text).lists, metric_named("chrf"), [["a"]])
        assert caught.value.code == "invalid-table"
    constant = pool_of(read("0 ||| a ||| lm= 1 ||| 1\n0 ||| b ||| lm= 1 ||| 1\n").lists, metric_named("chrf"), [["a"]])
    assert constant.varying.tolist() == [False]


def test_lists_and_references_of_unequal_numbers_are_refused() -> None:
    lists = "0 ||| a ||| d= 1 ||| 1\n1 ||| a ||| d= 1 ||| 1\n"
    with pytest.raises(InputError, match="2 segments, but 1 references"):
        read(lists, references=[TextFile("r", b"r\n")])
    with pytest.raises(InputError, match="2 segments, but 3 sources"):
        read(lists, sources=TextFile("s", b"r\ns\nt\n"))
    with pytest.raises(InputError) as caught:
        read('{"references": ["r"], "n_best": []}\n[{"text": "a"}]\n')
    assert caught.value.code == "missing-evidence"
    with pytest.raises(InputError) as caught:
        read(lists, form="xml")
    assert caught.value.code == "unknown-format"


# What words of lines are made of: names, numbers of every kind, blanks of every kind, and what only looks like them.
PIECES = st.sampled_from(
    [
        "d=",
        "lm:",
        "d=1",
        "x_y= 2",
        "a",
        "|",
        "||",
        "\u00a0",
        "\u3000",
        " ",
        "  ",
        "\t",
        "\x1c",
        "ă",
        "שלום",
        "=",
        ":",
        "-",
        "é=",
        "=5",
    ]
)
NUMBERS = st.sampled_from(
    ["0", "-0", "1e5", "-1.5E-3", "1e-30", ".5", "5.", "+3", "123456789012345678901", "0.1234567890123456789", "1_0"]
)
WORDS = st.lists(PIECES | NUMBERS, max_size=8).map(" ".join)
LINKS = st.sampled_from(["", " ||| 0-0 1-2", " ||| 0-1=2 3=4-5", " ||| 0-0 x", " ||| 1=1 ||| 0-0", " ||| 0-0 ||| 5", " ||| -1"])
LINES = st.builds(
    "{} ||| {} ||| {} ||| {}{}{}".format,
    st.sampled_from(["0", "1", " 3", "\u00a02", "07"]),
    WORDS.filter(lambda text: "|||" not in text and not text.endswith("|")),
    WORDS.filter(lambda text: "|||" not in text),
    NUMBERS,
    LINKS,
    st.sampled_from(["", "\r", " "]),
)


@given(st.lists(LINES | st.just(""), max_size=6))
def test_bytes_are_read_as_text_is(lines: list[str]) -> None:
    """The kernels against Python's own splitting and numbers."""
    text = "\n".join(lines)
    try:
        expected = read_n_best(lines)
    except InputError as error:
        with pytest.raises(InputError) as caught:
            read(text, form="moses", merge=False)
        assert caught.value.where == ("f0", *error.where)
        return
    if not len(expected.scores):
        return
    lists = read(text, form="moses", merge=False).lists
    assert lists.offsets.tolist() == expected.offsets.tolist()
    assert list(lists.texts) == list(expected.texts)
    assert lists.names == expected.names
    np.testing.assert_array_equal(lists.scores, expected.scores)
    np.testing.assert_array_equal(lists.features, expected.features)
    assert (lists.alignments is None) == (expected.alignments is None)
    if lists.alignments is not None and expected.alignments is not None:
        assert lists.alignments.spans.tolist() == expected.alignments.spans.tolist()
        assert lists.alignments.offsets.tolist() == expected.alignments.offsets.tolist()
        assert lists.alignments.phrases == expected.alignments.phrases


@given(st.floats(-1e300, 1e300), st.integers(0, 20), st.booleans())
def test_numbers_of_any_length_are_read_exactly(value: float, digits: int, negative: bool) -> None:
    for spelled in (repr(value), f"{value:.{digits}g}", f"{'-' * negative}{abs(value):.{digits}e}"):
        lists = read(f"0 ||| a ||| d= {spelled} ||| {spelled}\n").lists
        assert lists.features[0, 0] == float(spelled)
        assert lists.scores[0] == float(spelled)


ENTRIES = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["a", "b", ""]),
    st.fixed_dictionaries(
        {}, optional={name: st.lists(st.sampled_from([0.0, -0.0, 1.0]), min_size=n, max_size=n) for name, n in (("d", 1), ("e", 2))}
    ),
)


@given(st.lists(ENTRIES, min_size=1, max_size=12))
def test_duplicates_are_what_a_set_says(entries: list[tuple[int, str, dict[str, list[float]]]]) -> None:
    lines = [json.dumps({"segment": s, "text": t, "score": k, "features": f}) for k, (s, t, f) in enumerate(entries)]
    merged = read("\n".join(lines))
    keys = [(s, t, tuple(sorted((name, tuple(row)) for name, row in f.items()))) for s, t, f in entries]
    firsts = sorted({keys.index(key) for key in keys}, key=lambda k: (keys[k][0], k))
    assert merged.lists.scores.tolist() == firsts
    assert merged.copies.tolist() == [keys.count(keys[k]) for k in firsts]


@pytest.mark.parametrize("frequent", [1, 3])
def test_sparse_features_are_kept_beside_dense_ones(frequent: int) -> None:
    """As many rows as make a matrix of all names too empty, and names that come and go."""
    rng = np.random.default_rng(1)
    rows = [
        {f"s_{name}": [float(k), 2.0] for name in rng.integers(0, 3000, 2)}
        | {f"f{k // 5000}": [1.0]}
        | ({"lm": [float(-k)]} if k % frequent == 0 else {})
        for k in range(12_000)
    ]
    lists = read("".join(f"{k // 100} ||| t{k} ||| {spelled(row)} ||| {k}\n" for k, row in enumerate(rows))).lists
    assert lists.sparse is not None
    assert lists.features.size < 4 * 12_000 * 6
    assert [lists.named(h) for h in range(len(rows))] == rows
    pool = pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [["a"] * len(lists)])
    assert pool.names == (*lists.names, *lists.sparse.names)
    weights = rng.normal(size=len(pool.names))
    columns = {name: [k for k, other in enumerate(pool.names) if other == name] for name in set(pool.names)}
    expected = [
        sum(weights[columns[name][c]] * value for name, part in row.items() for c, value in enumerate(part)) for row in rows
    ]
    np.testing.assert_allclose(pool.features @ weights, expected)


def spelled(row: dict[str, list[float]]) -> str:
    return " ".join(f"{name}= {' '.join(map(repr, part))}" for name, part in row.items())


def test_a_small_table_of_columns_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    names = np.random.default_rng(1).permutation(900).reshape(30, 30)
    lines = [f"0 ||| a{k} ||| {' '.join(f'f{name}_= {name} 1' for name in row)} ||| 0" for k, row in enumerate(names.tolist())]
    expected = read_n_best(lines)
    for size in (4, 256, 1024):
        monkeypatch.setattr("app.text.reading.n_best_lists.gathering.TABLE_SIZE", size)
        lists = read_lists([TextFile("lists", "\n".join(lines).encode())]).lists
        assert all(lists.named(h) == expected.named(h) for h in range(30)), size


def test_joshuas_lists_with_and_without_features_and_derivations(shared: Path) -> None:
    folder = shared / "data" / "joshua"
    gold = read_lists([folder / "kbest_extraction" / "output.gold"])
    assert gold.files[0].hypotheses == 3126
    assert gold.lists.names[:3] == ("lm_0", "tm_pt_0", "tm_glue_0")
    # All weights are 1 but that of words that the model lacks, which the last one has.
    assert np.nansum(gold.lists.features, axis=1)[:-1] == pytest.approx(gold.lists.scores[:-1], abs=2e-3)
    totals = read_lists([folder / "kbest_extraction" / "output.scores.gold"]).lists
    assert totals.scores.tolist() == gold.lists.scores.tolist()
    assert totals.names == ()
    derived = read_lists([folder / "phrase_decoder" / "output.gold"]).lists
    assert derived.texts[0] == "a strategy republican to hinder reelection Obama"
    assert derived.alignments is not None
    assert derived.alignments.spans.tolist() == [[0, 1, 0, 1], [2, 2, 2, 2], [3, 4, 3, 4], [5, 6, 5, 5], [7, 8, 6, 6]]
    assert derived.components("lm_0", np.array([0])).tolist() == [[-19.117]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("999999999 ||| x ||| d= 1 ||| 1\n", "line 1 of f0: segment must be a number from 0 and below 10000000"),
        ("-1 ||| x ||| d= 1 ||| 1\n", "line 1 of f0: segment must be a number from 0 and below 10000000"),
        ("0 ||| x ||| d= 1 ||| 1\n1 ||| x ||| d= nan ||| 1\n", "line 2 of f0: features and total must be finite numbers, but found 'nan'"),
        ("0 ||| x ||| d=1 ||| 1\n1 ||| x ||| d=0x10 ||| 1\n", "line 2 of f0: features and total must be finite numbers, but found '0x10'"),
        ("0 ||| x ||| d= 1e309 ||| 1\n", "found '1e309'"),
        ("0 ||| x ||| d= 1 ||| one\n", "found 'one'"),
        ("0 ||| x\n", "expected: segment"),
        (f"0 ||| x ||| d= {'1 ' * 1001}||| 1\n", "a feature has at most 1000 components in a hypothesis; d has more"),
        (json.dumps({"segment": 0, "text": "x", "features": {"d": [1] * 1001}}), "at most 1000 components in a hypothesis; d has"),
        (f"0 ||| x ||| {'n' * 201}= 1 ||| 1\n", "a feature's name has at most 200 characters; nnn"),
        (f"segment\ttext\t{'é' * 201}\n0\ta\t1\n", "a feature's name has at most 200 characters; é"),
    ],
)  # fmt: skip
def test_errors_name_what_is_wrong_in_a_line_and_what_is_accepted(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read(text)
    assert told in refused.value.detail


def test_as_many_components_as_may_be_are_read() -> None:
    lists = read(f"0 ||| x ||| d= {'1 ' * 1000}{'é' * 200}=2 ||| 1\n").lists
    assert lists.features.shape == (1, 1001)


@pytest.mark.parametrize("line", ["{} ||| a ||| d= 1 ||| 1\n", '{{"segment": {}, "text": "a"}}\n', "segment\ttext\n{}\ta\n"])
def test_one_large_number_in_an_upload_makes_no_million_lists(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="segment 1999999 of only 1 hypotheses; number segments from 0"):
        read(line.format(1_999_999))
    assert len(read(line.format(1000)).lists) == 1001
    sources = TextFile("source", b"a\n" * 20_000)
    assert len(read_lists([TextFile("f", line.format(19_999).encode())], sources=sources).lists) == 20_000
    path = tmp_path / "list"
    path.write_text(line.format(19_999))
    assert len(read_lists([path]).lists) == 20_000


def test_uploads_are_no_more_hypotheses_lines_or_features_than_anybody_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("app.text.reading.n_best_files.UPLOAD_LIMIT", 5000)
    monkeypatch.setattr("app.text.reading.n_best_lists.opening.MOST_SEGMENTS", 10)
    for line in ("0 ||| a ||| d= 1 ||| 1\n", '{"segment": 0, "text": "a"}\n'):
        with pytest.raises(InputError, match="at most 5000 hypotheses") as refused:
            read(gzip.compress(line.encode() * 30_000))
        assert refused.value.code == "too-many-segments"
    path = tmp_path / "list"
    path.write_text("0 ||| a ||| d= 1 ||| 1\n" * 30_000)
    assert read_lists([path]).files[0].hypotheses == 30_000
    with pytest.raises(InputError, match="r has more than 10 lines"):
        read(MOSES, references=[TextFile("r", gzip.compress(b"a\n" * 11))])
    monkeypatch.setattr("app.text.reading.n_best_lists.gathering.MOST_COLUMNS", 2)
    with pytest.raises(InputError, match="at most 2 features"):
        read("0 ||| a ||| a= 1 b= 1 c= 1 ||| 1\n")


@pytest.mark.parametrize(
    "head", ["FEATURES_TXT_BEGIN_0 0 100 14 d_0 lm_0", "SCORES_TXT_BEGIN_0 0 100 9 BLEU", "SCORES_BIN_BEGIN_0 0 1 9 BLEU"]
)
def test_files_of_moses_extractor_are_refused_by_name(head: str) -> None:
    with pytest.raises(InputError, match="extractor without texts; give the n-best list, or tune with scores"):
        read_lists([TextFile("run1.dat", f"{head}\n1 2 3\n".encode())])
