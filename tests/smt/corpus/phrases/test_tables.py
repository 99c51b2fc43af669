"""Tables of phrases: the same lines as Moses' own; a table by hand; what is refused."""

import errno
import gzip
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.corpus import external_sort
from app.smt.corpus.phrases import lexical
from app.smt.corpus.phrases.compact import CompactTable
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.lexical import LexicalProbabilities
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.discounting import Discount, as_counts
from app.smt.corpus.phrases.scoring.number_kernels import LONGEST_NUMBER, put_number
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from tests.smt.corpus.phrases.compact_rows import target_of
from tests.smt.corpus.phrases.moses import LINKS, SOURCE, TABLES, TARGET, assert_same, lines, needs_moses

UNITS = ("wbe", "phrase", "hier")


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("phrases") / "extracted"
    extract_phrases(SOURCE, TARGET, LINKS, folder, models=[OrientationModel.parse(f"{unit}-mslr") for unit in UNITS])
    return folder


@needs_moses
@pytest.mark.parametrize("name", ["lex.e2f", "lex.f2e"])
def test_lexical_tables_are_those_of_moses(name: str, extracted: Path) -> None:
    # Moses' order is that of a hash.
    assert_same(sorted((extracted / name).read_bytes().splitlines()), sorted(lines(TABLES / f"{name}.gz")))


@needs_moses
@pytest.mark.parametrize(
    ("discount", "table"),
    [("none", "phrase-table.gz"), ("good-turing", "phrase-table.good-turing.gz"), ("kneser-ney", "phrase-table.kneser-ney.gz")],
)
def test_every_line_of_a_phrase_table_is_that_of_moses(discount: Discount, table: str, extracted: Path, tmp_path: Path) -> None:
    # So little memory that runs are merged and targets are gathered in several passes.
    build_tables(extracted, tmp_path / "out", TableOptions(discount, memory=1 << 20))
    assert_same(lines(tmp_path / "out" / "phrase-table.gz"), lines(TABLES / table))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@needs_moses
def test_every_line_of_a_table_of_orientations_is_that_of_moses(extracted: Path, tmp_path: Path) -> None:
    models = tuple(ReorderingModel(unit, events) for unit in UNITS for events in ("msd", "mslr"))
    build_tables(extracted, tmp_path / "out", TableOptions(reordering=models))
    for model in models:
        assert_same(lines(tmp_path / "out" / model.file), lines(TABLES / f"reordering.{model.name}.gz"))


@needs_moses
def test_what_moses_extracted_is_read(tmp_path: Path) -> None:
    (tmp_path / "moses").mkdir()
    for name, copy in (
        ("extract.sorted.gz",) * 2,
        ("extract.o.hier.sorted.gz", "extract.o.sorted.gz"),
        ("lex.e2f.gz",) * 2,
        ("lex.f2e.gz",) * 2,
    ):
        shutil.copy(TABLES / name, tmp_path / "moses" / copy)
    model = ReorderingModel.parse("hier-msd-bidirectional-fe")
    build_tables(tmp_path / "moses", tmp_path / "out", TableOptions(reordering=(model,)))
    assert_same(lines(tmp_path / "out" / "phrase-table.gz"), lines(TABLES / "phrase-table.gz"))
    assert_same(lines(tmp_path / "out" / model.file), lines(TABLES / "reordering.hier-msd-bidirectional-fe.gz"))


def write(folder: Path, extract: str, orientations: str | None = None) -> Path:
    folder.mkdir()
    (folder / "extract.gz").write_bytes(gzip.compress(extract.encode()))
    if orientations is not None:
        (folder / "extract.o.gz").write_bytes(gzip.compress(orientations.encode()))
    (folder / "lex.e2f").write_text("a x 0.5\nb x 0.25\nb y 1\nNULL y 0.125\n")
    (folder / "lex.f2e").write_text("x a 0.75\nx b 0.5\ny b 0.25\ny NULL 0.125\n")
    return folder


BY_HAND = (
    "a ||| x ||| 0-0\na ||| x ||| 0-0\nb ||| x ||| 0-0\na b ||| x y ||| 0-0 1-0\na b ||| x y ||| 0-0 1-1\na b ||| x y ||| 0-0 1-1\n"
)
ORIENTED = "a ||| x ||| mono swap\na ||| x ||| mono other\nb ||| x ||| other mono\n" + "a b ||| x y ||| mono mono\n" * 3


def test_tables_by_hand(tmp_path: Path) -> None:
    extracted = write(tmp_path / "extracted", BY_HAND, ORIENTED)
    models = tuple(ReorderingModel.parse(name) for name in ("wbe-msd-bidirectional-fe", "wbe-msd-forward-f"))
    build_tables(extracted, tmp_path / "out", TableOptions(reordering=models, compact=True))
    assert [
        target_of(table, row) for table in [CompactTable.open(tmp_path / "out" / "phrase-table.compact")] for row in range(3)
    ] == ["x y", "x", "x"]
    assert {path.name for path in (tmp_path / "out").glob("*.compact")} == {
        "phrase-table.compact",
        "reordering-table.wbe-msd-bidirectional-fe.compact",
    }
    assert lines(tmp_path / "out" / "phrase-table.gz") == [
        b"a b ||| x y ||| 1 0.5 1 0.1875 ||| 0-0 1-1 ||| 3 3 3 ||| |||",
        b"a ||| x ||| 0.666667 0.5 1 0.75 ||| 0-0 ||| 3 2 2 ||| |||",
        b"b ||| x ||| 0.333333 0.25 1 0.5 ||| 0-0 ||| 3 1 1 ||| |||",
    ]
    assert lines(tmp_path / "out" / models[0].file) == [
        b"a b ||| x y ||| 0.777778 0.111111 0.111111 0.777778 0.111111 0.111111",
        b"a ||| x ||| 0.714286 0.142857 0.142857 0.142857 0.428571 0.428571",
        b"b ||| x ||| 0.2 0.2 0.6 0.6 0.2 0.2",
    ]
    assert lines(tmp_path / "out" / models[1].file)[1:] == [b"a ||| 0.142857 0.428571 0.428571", b"b ||| 0.6 0.2 0.2"]


def test_sums_of_the_largest_weights_are_many(tmp_path: Path) -> None:
    assert as_counts(np.array([0.25, 1.0, 1e25])).tolist() == [1, 1, 10**18]
    extracted = write(tmp_path / "extracted", "a ||| x ||| 0-0 ||| 1e15\n" * 10_000)
    build_tables(extracted, tmp_path / "out", TableOptions("good-turing"))
    assert lines(tmp_path / "out" / "phrase-table.gz") == [b"a ||| x ||| 1 0.5 1 0.75 ||| 0-0 ||| 1e+19 1e+19 1e+19 ||| |||"]


def test_earlier_tables_leave_with_what_replaces_them(tmp_path: Path) -> None:
    extracted, out = write(tmp_path / "extracted", BY_HAND, ORIENTED), tmp_path / "out"
    model = ReorderingModel.parse("wbe-msd-bidirectional-fe")
    build_tables(extracted, out, TableOptions("kneser-ney", (model,), compact=True, halves=True))
    (out / "notes").write_text("mine")
    earlier = {path.name for path in out.iterdir()}
    assert {"phrase-table.compact", "phrase-table.half.f2e.gz", "phrase-table.half.f2e.gz.coc", model.file} < earlier
    wrong = write(tmp_path / "wrong", "a x\n")
    for source, replace in ((extracted, False), (wrong, True)):
        with pytest.raises(InputError):
            build_tables(source, out, replace=replace)
        assert {path.name for path in out.iterdir()} == earlier
    build_tables(extracted, out, replace=True)
    assert {path.name for path in out.iterdir()} == {"phrase-table.gz", "phrase-table.json", "notes"}


def test_weights_are_added_up(tmp_path: Path) -> None:
    extracted = write(tmp_path / "extracted", "a ||| x ||| 0-0 ||| 0.25\na ||| x ||| 0-0 ||| 5e-1\nb ||| x ||| 0-0 ||| 2.25\n")
    build_tables(extracted, tmp_path / "out")
    assert lines(tmp_path / "out" / "phrase-table.gz") == [
        b"a ||| x ||| 0.25 0.5 1 0.75 ||| 0-0 ||| 3 0.75 0.75 ||| |||",
        b"b ||| x ||| 0.75 0.25 1 0.5 ||| 0-0 ||| 3 2.25 2.25 ||| |||",
    ]


@needs_moses
def test_weights_of_one_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "ones").write_text("1\n" * 2000)
    extract_phrases(SOURCE, TARGET, LINKS, tmp_path / "extracted", weights=tmp_path / "ones")
    build_tables(tmp_path / "extracted", tmp_path / "out")
    assert_same(lines(tmp_path / "out" / "phrase-table.gz"), lines(TABLES / "phrase-table.gz"))


def test_probabilities_add_up_to_one(tmp_path: Path) -> None:
    build_tables(write(tmp_path / "extracted", BY_HAND), tmp_path / "out")
    sums: dict[str, float] = defaultdict(float)
    for line in lines(tmp_path / "out" / "phrase-table.gz"):
        source, target, scores = line.decode().split(" ||| ")[:3]
        sums[f"s {source}"] += float(scores.split()[2])
        sums[f"t {target}"] += float(scores.split()[0])
    assert all(total == pytest.approx(1, abs=1e-5) for total in sums.values())


@pytest.mark.parametrize(
    ("extract", "orientations", "message"),
    [
        ("a ||| x ||| 0-0\na x\n", None, "line 2 of"),
        ("a ||| x ||| 0-0\na ||| x ||| 0-1\n", None, "line 2 of"),
        ("a ||| x ||| 0-0\na ||| x ||| 0;0\n", None, "line 2 of"),
        ("a ||| x ||| 0-0 ||| nan\n", None, "line 1 of"),
        ("a ||| x ||| 0-0 ||| 0\n", None, "line 1 of"),
        (
            "b ||| x ||| 0-0 ||| 1e15\na ||| x ||| 0-0 ||| 1e25\n",
            None,
            r"line 2 of .*extract.gz has a malformed weight.* up to 1e\+15",
        ),
        (
            "b ||| x ||| 0-0 ||| 1e-30\na ||| x ||| 0-0 ||| 1e-44\n",
            None,
            "line 2 of .*extract.gz has a malformed weight.* above 1e-30",
        ),
        *(
            (f"a ||| x ||| 0-0 ||| {word}\n", None, "line 1 of .* number")
            for word in ("#0", "#", "#1.5", "##1", "1#", "-1", "4 5", "# 1")
        ),
        ("a ||| x ||| 0-0\na ||| x\n", "a ||| x ||| mono mono\na ||| x ||| mono mono\n", "line 2 of .*extract.gz"),
        (
            "a ||| x ||| 0-0\nb ||| x ||| 0-0\n",
            "a ||| x ||| mono mono\na ||| x ||| mono mono\n",
            "line 2 of .*extract.o.gz has other",
        ),
        ("a ||| x ||| 0-0\n", "a ||| x ||| mono left\n", "line 1 of .*extract.o.gz lacks orientations"),
        ("a ||| x ||| 0-0\n", "a ||| x ||| mono mono mono\n", "line 1 of .*extract.o.gz"),
        ("a ||| x ||| 0-0\n", "a ||| x ||| mono mono\na ||| x ||| mono mono\n", "number of lines"),
        ("", None, "no phrase pairs"),
    ],
)
def test_what_is_refused(extract: str, orientations: str | None, message: str, tmp_path: Path) -> None:
    extracted = write(tmp_path / "extracted", extract, orientations)
    with pytest.raises(InputError, match=message):
        build_tables(extracted, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["extracted"]


def test_lexical_tables_are_checked(tmp_path: Path) -> None:
    extracted = write(tmp_path / "extracted", BY_HAND)
    for line in ("a x\n", "a x nan\n", "a x 1.5\n"):
        (extracted / "lex.e2f").write_text(f"a x 0.5\n{line}")
        with pytest.raises(InputError, match=r"line 2 of .*lex\.e2f"):
            build_tables(extracted, tmp_path / "out")


def test_lexical_tables_have_words_between_any_blanks(tmp_path: Path) -> None:
    spaces, tabs = tmp_path / "spaces", tmp_path / "tabs"
    spaces.write_text("a x 0.5\nb x 0.25\n")
    tabs.write_text("a\tx\t0.5\nb x\t0.25 \n")
    first, second = LexicalProbabilities.read(spaces), LexicalProbabilities.read(tabs)
    assert np.array_equal(first.slots, second.slots) and np.array_equal(first.numbers, second.numbers)


def test_models_that_were_not_extracted_are_refused(tmp_path: Path) -> None:
    extracted = write(tmp_path / "extracted", BY_HAND, ORIENTED)
    for name, message in (("hier-msd-bidirectional-fe", "none of hier"), ("wbe-mslr-bidirectional-fe", "lacks dleft and dright")):
        with pytest.raises(InputError, match=message):
            build_tables(extracted, tmp_path / "out", TableOptions(reordering=(ReorderingModel.parse(name),)))
    with pytest.raises(InputError, match="wbe/phrase/hier-msd/mslr"):
        ReorderingModel.parse("msd-bidirectional-fe")


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    extracted = write(tmp_path / "extracted", BY_HAND)
    monkeypatch.setattr(external_sort, "_run", full)
    with pytest.raises(OSError, match="No space left"):
        build_tables(extracted, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["extracted"]


@settings(max_examples=300, deadline=None)
@given(st.floats(1e-200, 1e200) | st.floats(1e-6, 1e7) | st.builds(lambda a, b: a / b, st.integers(0, 5000), st.integers(1, 10000)))
def test_numbers_are_those_of_c(value: float) -> None:
    out = np.zeros(LONGEST_NUMBER, np.uint8)
    assert out[: put_number(out, 0, value)].tobytes().decode() == f"{value:g}"


@pytest.mark.parametrize("part", [1, 2, 3, 4])
def test_no_word_pair_of_a_long_lexical_table_is_lost(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "LINES", part)
    extracted = write(tmp_path / "extracted", "".join(f"s{k} ||| t{k} ||| 0-0\n" for k in range(7)))
    (extracted / "lex.e2f").write_text("".join(f"s{k} t{k} 0.5\n" for k in range(7)))
    (extracted / "lex.f2e").write_text("".join(f"t{k} s{k} 0.25\n" for k in range(7)))
    build_tables(extracted, tmp_path / "out")
    scores = [line.decode().split(" ||| ")[2].split() for line in lines(tmp_path / "out" / "phrase-table.gz")]
    assert [(row[1], row[3]) for row in scores] == [("0.5", "0.25")] * 7


def test_weights_behind_orientations_are_those_of_the_pairs(tmp_path: Path) -> None:
    # As Moses' extract writes them with weights of sentences.
    weighted = "".join(f"{line} ||| {weight}\n" for line, weight in zip(BY_HAND.splitlines(), "123123", strict=True))
    oriented = "".join(f"{line} ||| {weight}\n" for line, weight in zip(ORIENTED.splitlines(), "123123", strict=True))
    tables = TableOptions(reordering=(ReorderingModel.parse("wbe-msd-bidirectional-fe"),))
    for name, orientations in (("with", oriented), ("without", ORIENTED)):
        build_tables(write(tmp_path / name, weighted, orientations), tmp_path / f"tables-{name}", tables)
    one, other = (tmp_path / f"tables-{name}" / tables.reordering[0].file for name in ("with", "without"))
    assert lines(one) == lines(other)
