"""Extraction: the same lines as Moses' extract; consistency by its definition; what is refused, by file and line."""

import gzip
from collections.abc import Callable
from hashlib import sha256
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.building.alignment.files import AlignmentFiles, align_files
from app.errors import InputError
from app.smt.corpus.phrases import aligned_chunks
from app.smt.corpus.phrases.aligned_chunks import read_aligned
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.extraction_kernels import extract_chunk
from app.smt.corpus.phrases.orientation import MODELS, OrientationModel
from app.smt.corpus.phrases.orientation_kernels import (
    DISCONTINUOUS_LEFT,
    DISCONTINUOUS_RIGHT,
    MONOTONE,
    NOWHERE,
    SWAP,
    orientations_by_words,
)
from app.smt.corpus.phrases.scoring.pair_kernels import record_weights
from app.smt.corpus.phrases.scoring.tables import build_tables
from app.smt.corpus.phrases.token_kernels import find_words
from app.smt.corpus.sorting_kernels import line_bounds
from app.text.batch import pack_tokenised
from app.text.tokenisation import tokens_of
from tests.growth import assert_grows_evenly
from tests.smt.corpus.phrases.moses import LINKS, SOURCE, TABLES, TARGET, assert_same, lines, needs_moses

Links = set[tuple[int, int]]
Write = Callable[..., list[Path]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*texts: str) -> list[Path]:
        paths = []
        for name, text in zip(("source", "target", "links", "weights"), texts, strict=False):
            path = tmp_path / name
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        return paths

    return written


@needs_moses
@pytest.mark.parametrize("unit", ["wbe", "phrase", "hier"])
def test_every_line_is_that_of_moses(unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several chunks.
    monkeypatch.setattr(aligned_chunks, "CHUNK", 900)
    made = extract_phrases(SOURCE, TARGET, LINKS, tmp_path / "out", models=[OrientationModel.parse(f"{unit}-mslr")])
    extracted = lines(tmp_path / "out" / "extract.gz")
    assert (made.sentences, made.pairs) == (2000, len(extracted))
    assert_same(sorted(extracted), lines(TABLES / "extract.sorted.gz"))
    assert_same(sorted(lines(tmp_path / "out" / "extract.o.gz")), lines(TABLES / f"extract.o.{unit}.sorted.gz"))
    for line, turned in zip(extracted[:1000], lines(tmp_path / "out" / "extract.inv.gz")[:1000], strict=True):
        source, target, links = line.decode().split(" ||| ")
        assert turned.decode() == f"{target} ||| {source} ||| {' '.join('-'.join(link.split('-')[::-1]) for link in links.split())}"


@given(st.lists(st.text(st.sampled_from("ab \t\x01\x0b\x1c\x1f\x85\xa0\u2009\u2028\u3000\U0001f600"), max_size=12), max_size=5))
def test_every_tool_finds_the_same_words(texts: list[str]) -> None:
    # Links count words: what aligns and what extracts must not disagree about a no-break space.
    raw = "".join(f"{text}\n" for text in texts).encode()
    begins, ends, offsets = find_words(np.frombuffer(raw, np.uint8), len(texts))
    words = [raw[begin:end].decode() for begin, end in zip(begins, ends, strict=True)]
    column = pack_tokenised(texts)
    assert [words[offsets[k] : offsets[k + 1]] for k in range(len(texts))] == [tokens_of(text) for text in texts]
    assert [column.vocabulary[number] for number in column.ids] == words and column.offsets.tolist() == offsets.tolist()


def test_links_by_the_aligner_are_links_for_extraction(tmp_path: Path, write: Write) -> None:
    source, target = write("a\u00a0c ein haus .\nein\u2028 haus\n" * 20, "x a house .\na house\n" * 20)
    align_files(source, target, AlignmentFiles(links=tmp_path / "links"))
    assert max(int(link.split("-")[0]) for link in (tmp_path / "links").read_text().split()) == 3
    extract_phrases(source, target, tmp_path / "links", tmp_path / "out")
    assert any(line.startswith("a\u00a0c |||".encode()) for line in lines(tmp_path / "out" / "extract.gz"))


def test_a_sentence_by_hand(tmp_path: Path, write: Write) -> None:
    # "nicht" has no link, so that it belongs to the phrases beside it, or not.
    paths = write("das nicht haus\n", "the house\n", "0-0 2-1\n", "0.5\n")
    extract_phrases(*paths[:3], tmp_path / "out", models=[OrientationModel.parse("wbe-msd")], weights=paths[3])
    assert [line.decode() for line in lines(tmp_path / "out" / "extract.gz")] == [
        "das ||| the ||| 0-0 ||| 0.5",
        "das nicht ||| the ||| 0-0 ||| 0.5",
        "das nicht haus ||| the house ||| 0-0 2-1 ||| 0.5",
        "haus ||| house ||| 0-0 ||| 0.5",
        "nicht haus ||| house ||| 1-0 ||| 0.5",
    ]
    assert [line.decode().split(" ||| ", 2)[2] for line in lines(tmp_path / "out" / "extract.o.gz")] == [
        f"{turns} ||| 0.5" for turns in ("mono other", "mono mono", "mono mono", "other mono", "mono mono")
    ]


def test_columns_of_several_models(tmp_path: Path, write: Write) -> None:
    paths = write("ja nein\n", "no yes\n", "0-1 1-0\n")
    extract_phrases(*paths, tmp_path / "out", models=[OrientationModel.parse("hier-mslr"), OrientationModel.parse("wbe-msd")])
    endings = [line.decode().rpartition("||| ")[2] for line in lines(tmp_path / "out" / "extract.o.gz")]
    assert endings == ["other swap |  | dright swap", "mono mono |  | mono mono", "swap other |  | swap dright"]


@st.composite
def aligned(draw: st.DrawFn) -> tuple[int, int, Links]:
    source, target = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    places = st.tuples(st.integers(0, source - 1), st.integers(0, target - 1))
    return source, target, draw(st.sets(places, max_size=8))


def arrays(source: int, target: int, links: Links) -> tuple[np.ndarray, ...]:
    ordered = np.array(sorted(links), np.int32).reshape(-1, 2)
    columns = (np.ascontiguousarray(ordered[:, side]) for side in (0, 1))
    return (np.array([0, source]), np.array([0, target]), *columns, np.array([0, len(links)]))


@settings(max_examples=100, deadline=None)
@given(aligned(), st.integers(1, 7))
def test_phrases_are_those_of_the_definition(sentence: tuple[int, int, Links], longest: int) -> None:
    source, target, links = sentence
    rows = extract_chunk(*arrays(source, target, links), longest)
    wanted = set()
    for first, last, above, below in product(range(source), range(source), range(target), range(target)):
        if first <= last < first + longest and above <= below < above + longest:
            inside = [(first <= i <= last, above <= j <= below) for i, j in links]
            if (True, True) in inside and all(i == j for i, j in inside):
                wanted.add((0, first, last, above, below))
    assert len(rows) == len(wanted)
    assert set(map(tuple, rows.tolist())) == wanted


def orientation_by_hand(links: Links, row: tuple[int, ...], source: int, target: int, after: bool) -> int:
    """Orientation to the next or previous target word; what comes after is seen by turning both sentences round."""
    _, first, last, above, below = row
    if after:
        links = {(source - 1 - i, target - 1 - j) for i, j in links}
        first, last, above = source - 1 - last, source - 1 - first, target - 1 - below
    marked = links | {(-1, -1), (source, target)}
    monotone, swap = (first - 1, above - 1) in marked, (last + 1, above - 1) in marked
    if monotone != swap:
        return MONOTONE if monotone else SWAP
    places = {i for i, j in links if j == above - 1}
    if any(place <= first - 2 and place + 1 not in places for place in places):
        return DISCONTINUOUS_RIGHT
    if any(place >= last + 2 and place - 1 not in places for place in places):
        return DISCONTINUOUS_LEFT
    return NOWHERE


@settings(max_examples=100, deadline=None)
@given(aligned())
def test_orientations_to_words_are_those_of_the_definition(sentence: tuple[int, int, Links]) -> None:
    source, target, links = sentence
    data = arrays(source, target, links)
    rows = extract_chunk(*data, 7)
    wanted = [[orientation_by_hand(links, tuple(row), source, target, after) for after in (False, True)] for row in rows.tolist()]
    assert orientations_by_words(rows, *data).tolist() == wanted


@pytest.mark.parametrize(
    ("texts", "code", "where"),
    [
        (("a\nb\n", "a\n", "0-0\n0-0\n"), "unequal-lengths", "target has 1 lines but"),
        (("a\n\n", "a\nb\n", "0-0\n\n"), "empty-input", "line 2 of"),
        (("", "", ""), "empty-input", "source is empty"),
        (("a\nb\n", "a\nb\n", "0-0\n0-1\n"), "invalid-table", "line 2 of"),
        (("a\n", "a\n", "0:0\n"), "invalid-table", "line 1 of"),
        (("a\n", "a\n", "99999999999999999999-0\n"), "invalid-table", "line 1 of"),
        (("a\nb ||| c\n", "a\nb\n", "0-0\n0-0\n"), "invalid-character", "line 2 of"),
        (("a\0c\n", "b\n", "0-0\n"), "invalid-character", "NUL"),
        (("a\n" + "b " * 10000 + "\n", "a\nb\n", "0-0\n0-0\n"), "segment-too-long", "line 2 of"),
        (("a\n", "a\n", "0-0\n", "nan\n"), "invalid-table", "line 1 of"),
        *(
            (("a\na\n", "a\na\n", "0-0\n0-0\n", f"1\n{weight}\n"), "invalid-table", "weights is no weight, which is 0 or a number")
            for weight in (
                "-1",
                "-0",
                "+2",
                "1_0",
                "1e16",
                "1e-320",
                "0.0001e-298",
                "inf",
                "1e",
                "#3",
                "1 2",
                ".",
                "",
                "1\0",
                "٣",
                "1e1000",
            )
        ),
    ],
)
def test_what_is_refused(texts: tuple[str, ...], code: str, where: str, tmp_path: Path, write: Write) -> None:
    paths = write(*texts)
    with pytest.raises(InputError) as refused:
        extract_phrases(*paths[:3], tmp_path / "out", weights=paths[3] if len(paths) > 3 else None)
    assert refused.value.code == code
    assert where in str(refused.value)
    assert not list(tmp_path.glob("*out*"))
    assert not list(tmp_path.glob(".*"))


def test_bytes_that_are_no_text(tmp_path: Path, write: Write) -> None:
    source, target, links = write("a\nb\n", "a\nb\n", "0-0\n0-0\n")
    target.write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match="in line 2"):
        extract_phrases(source, target, links, tmp_path / "out")
    target.write_bytes(gzip.compress(b"a\nb\n")[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        extract_phrases(source, target, links, tmp_path / "out")


def test_orientations_of_an_earlier_extraction_go(tmp_path: Path, write: Write) -> None:
    paths = write("a b\n", "x y\n", "0-0 1-1\n")
    extract_phrases(*paths, tmp_path / "out", models=[OrientationModel.parse("hier-mslr")])
    (tmp_path / "out" / "mine").write_text("stays")
    extract_phrases(*paths, tmp_path / "out", replace=True)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "extract.o.gz" not in names and {"mine", "extract.gz", "extract.json"} <= names


@pytest.mark.parametrize("end", ["", "x", ".x", "e", "e9x"])
def test_weights_of_any_length_are_looked_at_once(end: str, tmp_path: Path) -> None:
    path = tmp_path / "weights"
    assert_grows_evenly(lambda size: ("1" * size + end).encode(), lambda text: aligned_chunks.WEIGHT.fullmatch(text), 20_000)
    paths = [tmp_path / name for name in ("source", "target", "links")]
    for file, text in zip([*paths, path], ("a\n", "x\n", "0-0\n", f"{'1' * 50_000}{end}\n"), strict=True):
        file.write_text(text)
    with pytest.raises(InputError, match=r"line 1 of .* is no weight"):
        extract_phrases(*paths, tmp_path / "out", weights=path)


def test_the_least_weight_keeps_every_pair_of_phrases(tmp_path: Path, write: Write) -> None:
    paths = write("a\nb\n", "x\ny\n", "0-0\n0-0\n", "2e-30\n1\n")
    extract_phrases(*paths[:3], tmp_path / "out", weights=paths[3])
    assert build_tables(tmp_path / "out", tmp_path / "tables").pairs == 2
    paths[3].write_text("1\n1e-31\n")
    with pytest.raises(InputError, match=r"line 2 of .* above 1e-30"):
        extract_phrases(*paths[:3], tmp_path / "no", weights=paths[3])


def test_models_have_names() -> None:
    assert len(MODELS) == 6
    with pytest.raises(InputError, match="wbe-msd"):
        OrientationModel.parse("word")


WEIGHTS = st.one_of(
    st.from_regex(r"[0-9+_.eE-]{0,8}", fullmatch=True), st.floats(0, 1e15).map(repr), st.floats(0, 1e15).map("{:g}".format)
)


@settings(max_examples=100, deadline=None)
@given(WEIGHTS)
def test_weights_that_are_taken_are_read_again_as_they_are(weight: str) -> None:
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("source", "target", "links", "weights")]
        for path, text in zip(paths, ("a\n", "x\n", "0-0\n", f"{weight}\n"), strict=True):
            path.write_text(text)
        try:
            (chunk,) = read_aligned(*paths)
        except InputError:
            return
    assert chunk.weights == (weight.encode(),)
    record = np.frombuffer(b"a ||| x ||| 0-0 ||| " + chunk.weights[0] + b"\n", np.uint8)
    assert record_weights(record, *line_bounds(record), 0).tolist() == pytest.approx([float(weight)])


# Test misc.lexical-weights-weighted of Moses' regression tests, three sentences of Europarl, and the checksum of its sorted result.
FRENCH = (
    "reprise de la session\n"
    "je déclare reprise la session du parlement européen qui avait été interrompue le vendredi 17 décembre dernier "
    "et je vous renouvelle tous mes vux en espérant que vous avez passé de bonnes vacances .\n"
    "je ne sais pas .\n"
)
ENGLISH = (
    "resumption of the session\n"
    "i declare resumed the session of the european parliament adjourned on friday 17 december 1999 , and i would "
    "like once again to wish you a happy new year in the hope that you enjoyed a pleasant festive period .\n"
    "i do not know .\n"
)
ENGLISH_LINKS = (
    "0-0 1-1 2-2 3-3\n"
    "0-0 1-1 2-2 3-3 4-4 5-5 5-6 7-7 6-8 8-9 9-9 10-9 11-9 12-10 13-11 14-12 15-13 16-14 17-16 18-17 19-18 20-19 "
    "20-20 20-21 24-29 25-30 25-31 26-32 27-33 28-33 29-34 30-35 31-36 20-37 21-37 22-37 23-37 32-37 32-38 33-39\n"
    "0-0 1-2 2-3 3-2 4-4\n"
)
MOSES_SHA256 = "b7618449d31dc7c847d28e43701641411c5f2346f560acae1e4aca030c77bd70"


def test_weights_count_links_as_moses_does(tmp_path: Path, write: Write) -> None:
    paths = write(FRENCH, ENGLISH, ENGLISH_LINKS, "0.3\n0.7\n0.1\n")
    extract_phrases(*paths[:3], tmp_path / "out", weights=paths[3])
    tables = [(tmp_path / "out" / name).read_bytes() for name in ("lex.f2e", "lex.e2f")]
    rows = sorted(b"".join(tables).splitlines(keepends=True))
    assert len(rows) == 106 and b", NULL 0.1228070\n" in rows and b"de of 0.3000000\n" in rows
    assert sha256(b"".join(rows)).hexdigest() == MOSES_SHA256


def test_links_may_count_without_weights(tmp_path: Path, write: Write) -> None:
    paths = write(FRENCH, ENGLISH, ENGLISH_LINKS, "0.3\n0.7\n0.1\n")
    extract_phrases(*paths[:3], tmp_path / "weighted", weights=paths[3], unweighted_lexical=True)
    extract_phrases(*paths[:3], tmp_path / "plain")
    for name in ("lex.f2e", "lex.e2f"):
        assert (tmp_path / "weighted" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    assert b", NULL 0.1111111\n" in (tmp_path / "plain" / "lex.f2e").read_bytes()
    with pytest.raises(InputError, match="without weights"):
        extract_phrases(*paths[:3], tmp_path / "no", unweighted_lexical=True)
