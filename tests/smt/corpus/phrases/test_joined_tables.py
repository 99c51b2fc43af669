"""Halves consolidated, tables combined, orientations alone: Moses' lines, tmcombine's numbers, fill-up by hand."""

import gzip
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.commands.corpus.phrase_tables import combine, phrase_table
from app.smt.commands.options.corpus.phrase_tables import CombineTablesOptions, PhraseTableOptions
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.joining.combining import Combination, combine_tables
from app.smt.corpus.phrases.joining.consolidation import Consolidation, consolidate
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.additions.domain_scores import domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.scores import (
    count_bins,
    low_count,
    phrase_count,
    sparse_count_bins,
    unaligned_penalty,
)
from app.smt.corpus.phrases.scoring.discounting import Discount
from app.smt.corpus.phrases.scoring.phrase_lines import Thresholds
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from tests.smt.corpus.phrases.moses import LINKS, SOURCE, TABLES, TARGET, assert_same, lines, needs_moses

HALVES = ("phrase-table.half.f2e.gz", "phrase-table.half.e2f.gz")
COUNTS = "phrase-table.half.f2e.gz.coc"
# Two tables of tmcombine's tests (Sennrich 2012), and its lines of their interpolation by weights of each score.
FIRST = """ad ||| af ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1000 1000
der gipfel ||| sommet ||| 0.00327135 0.00872768 0.0366795 0.611403 ||| 1-0 ||| 5808 518
pass ||| col ||| 0.1952 0.143937 0.628866 0.681301 ||| 0-0 ||| 1875 582
pass ||| passeport ||| 0.266667 0.25 0.00687285 0.0113821 ||| 0-0 ||| 15 582
"""
SECOND = """ad ||| af ||| 0.1 0.1 0.1 0.1 ||| 0-0 ||| 1000 1000
der pass ||| le passeport ||| 0.16 0.03063 0.4 0.0748551 ||| 0-0 1-1 ||| 25 10
pass ||| passeport ||| 0.28022 0.192612 0.607143 0.675926 ||| 0-0 ||| 182 84
"""
WEIGHTS = [[0.1, 0.9], [0.1, 1], [0.2, 0.8], [0.5, 0.5]]
INTERPOLATED = """ad ||| af ||| 0.14 0.136364 0.18 0.3 ||| 0-0 ||| 1000 1000
der gipfel ||| sommet ||| 0.000327135 0.000793425 0.0073359 0.305702 ||| 1-0 ||| 5808 518
der pass ||| le passeport ||| 0.144 0.0278455 0.32 0.0374275 ||| 0-0 1-1 ||| 25 10
pass ||| col ||| 0.01952 0.0130852 0.125773 0.340651 ||| 0-0 ||| 1875 582
pass ||| passeport ||| 0.278865 0.197829 0.487089 0.343654 ||| 0-0 ||| 15 582
"""


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    (tmp_path / "first").write_text(FIRST)
    (tmp_path / "second.gz").write_bytes(gzip.compress(SECOND.encode()))
    return [tmp_path / "first", tmp_path / "second.gz"]


def rounded(text: str) -> list[str]:
    """Words, numbers with five digits: tmcombine and its inputs were rounded by different formats."""
    return [f"{float(word):.5g}" if "." in word else word for word in text.split()]


def test_interpolation_is_that_of_tmcombine(tables: list[Path], tmp_path: Path) -> None:
    assert combine_tables(tables, tmp_path / "out", Combination("interpolate", WEIGHTS, missing=0.0)) == (5, 4)
    for ours, theirs in zip((tmp_path / "out").read_text().splitlines(), INTERPOLATED.splitlines(), strict=True):
        for word, expected in zip(rounded(ours), rounded(theirs), strict=True):
            assert word == expected or float(word) == pytest.approx(float(expected), rel=1e-5)


def test_fill_up_and_back_off_by_hand(tables: list[Path], tmp_path: Path) -> None:
    assert combine_tables(tables, tmp_path / "out", Combination("fill-up")) == (5, 5)
    out = (tmp_path / "out").read_text().splitlines()
    assert out[0] == "ad ||| af ||| 0.5 0.5 0.5 0.5 1 ||| 0-0 ||| 1000 1000"
    assert out[2] == "der pass ||| le passeport ||| 0.16 0.03063 0.4 0.0748551 2.718 ||| 0-0 1-1 ||| 25 10"
    assert combine_tables(tables, tmp_path / "out", Combination("back-off", longest_new=1)) == (4, 4)
    assert (tmp_path / "out").read_text() == FIRST
    # A source that the first table knows is not new, however long.
    (tmp_path / "first").write_text(FIRST.replace("der gipfel", "der pass"))
    assert combine_tables(tables, tmp_path / "out", Combination("fill-up", longest_new=1)) == (5, 5)


def test_the_command_gives_uniform_weights_and_copies_a_constant(tables: list[Path], tmp_path: Path) -> None:
    combine(CombineTablesOptions(tables=tables, method="interpolate", out=tmp_path / "out", constant=1))
    out = (tmp_path / "out").read_text().splitlines()
    assert out[0] == "ad ||| af ||| 0.3 0.5 0.3 0.3 ||| 0-0 ||| 1000 1000"
    assert out[3].startswith("pass ||| col ||| 0.0976005 0.143937 0.314434 0.340651 |||")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("b ||| x ||| 1 1 1 1\na ||| x ||| 1 1 1 1\n", "line 2 .* not sorted"),
        ("a ||| x ||| 1 1 1\n", "equal numbers of scores"),
        ("a ||| x ||| 1 1 1 1\nb ||| x ||| 1\n", "line 2 .* has 1 scores"),
        ("a ||| x\n", "line 1 .* is not a source"),
        ("a ||| x ||| 1 1 1 nan\n", "no number"),
    ],
)
def test_tables_that_cannot_be_combined_are_refused(tables: list[Path], tmp_path: Path, second: str, words: str) -> None:
    tables[1].write_text(second)
    with pytest.raises(InputError, match=words):
        combine_tables(tables, tmp_path / "out", Combination("interpolate"))
    assert not (tmp_path / "out").exists()


def test_hostile_weights_and_scores_are_refused(tables: list[Path], tmp_path: Path) -> None:
    for options, words in (
        (Combination("interpolate", [[1e308, 1e308]]), "weights are"),
        (Combination("interpolate", constant=9), "name the place"),
    ):
        with pytest.raises(InputError, match=words):
            combine_tables(tables, tmp_path / "out", options)
    tables[0].write_text("a ||| x ||| 1 1 1 nan\n")
    for method in ("fill-up", "back-off"):
        with pytest.raises(InputError, match="no number"):
            combine_tables(tables, tmp_path / "out", Combination(method))


@given(st.dictionaries(st.tuples(st.sampled_from("ab}é"), st.sampled_from("xyzé")), st.integers(0, 2), min_size=1))
@settings(max_examples=50, deadline=None)
def test_each_pair_of_any_table_is_once_in_the_result(tmp_path_factory: pytest.TempPathFactory, held_by: dict[tuple[str, str], int]) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("tables")
    paths = [folder / "0", folder / "1"]
    rows = [sorted(f"{s} ||| {t} ||| 0.5\n".encode() for (s, t), holder in held_by.items() if holder in (k, 2)) for k in (0, 1)]
    for path, table in zip(paths, rows, strict=True):
        path.write_bytes(b"".join(table))
    if not all(rows):
        return
    combine_tables(paths, folder / "out", Combination("interpolate", missing=0.0))
    out = (folder / "out").read_bytes().splitlines()
    assert out == sorted(out) and len(out) == len(held_by)
    for line in out:
        source, target, score = line.decode().split(" ||| ")
        assert float(score) == (0.5 if held_by[source, target] == 2 else 0.25)


@needs_moses
@pytest.mark.parametrize(
    ("discount", "table"),
    [("none", "phrase-table.gz"), ("good-turing", "phrase-table.good-turing.gz"), ("kneser-ney", "phrase-table.kneser-ney.gz")],
)
def test_consolidated_halves_are_the_table_of_moses(discount: Discount, table: str, tmp_path: Path) -> None:
    extract_phrases(SOURCE, TARGET, LINKS, tmp_path / "extracted")
    build_tables(tmp_path / "extracted", tmp_path / "out", TableOptions(discount, halves=True))
    direct, inverse = (tmp_path / "out" / name for name in HALVES)
    options = Consolidation(discount, None if discount == "none" else tmp_path / "out" / COUNTS)
    pairs, scores = consolidate(direct, inverse, tmp_path / "table.gz", options)
    assert_same(lines(tmp_path / "table.gz"), lines(TABLES / table))
    assert (pairs, scores) == (len(lines(TABLES / table)), 4)


@needs_moses
def test_scores_of_counts_and_of_halves_go_through(tmp_path: Path) -> None:
    extract_phrases(SOURCE, TARGET, LINKS, tmp_path / "extracted", numbered=True)
    (tmp_path / "domains").write_text("900 news\n2000 web\n")
    from_halves = (unaligned_penalty(), domain_scores(Domains.read(tmp_path / "domains"), "ratio"))
    added = (phrase_count(), low_count(), count_bins((1, 3)))
    thresholds = Thresholds(0.0, 0.01, 0.1)
    whole = TableOptions("none", additions=(*from_halves, *added), thresholds=thresholds)
    build_tables(tmp_path / "extracted", tmp_path / "whole", whole)
    build_tables(tmp_path / "extracted", tmp_path / "halves", TableOptions(additions=from_halves, halves=True))
    paths = [tmp_path / "halves" / name for name in HALVES]
    options = Consolidation(phrase_count=True, low_count=True, bins=(1, 3), thresholds=thresholds)
    consolidate(*paths, tmp_path / "table", options)
    assert_same((tmp_path / "table").read_bytes().splitlines(), lines(tmp_path / "whole" / "phrase-table.gz"))
    sparse = TableOptions(additions=(*from_halves, sparse_count_bins((2, 5))), only_direct=True)
    build_tables(tmp_path / "extracted", tmp_path / "sparse", sparse)
    consolidate(*paths, tmp_path / "table", Consolidation(sparse_bins=(2, 5), only_direct=True))
    assert_same((tmp_path / "table").read_bytes().splitlines(), lines(tmp_path / "sparse" / "phrase-table.gz"))


def test_halves_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f2e").write_text("a ||| x ||| 0-0  ||| 1 ||| 2 1 |||\n")
    for text, words in (
        ("b ||| x |||  ||| 1 ||| 2 1 |||\n", "line 1 .* other phrases"),
        ("a ||| x |||  ||| 1 ||| 2 1 |||\na ||| y |||  ||| 1 ||| 2 1 |||\n", "ends before line 2"),
        ("a ||| x |||  ||| 1 ||| 0 1 |||\n", "no line of a half"),
        ("a ||| x |||  ||| 1 ||| 1 5 |||\n", "no line of a half"),
        ("a ||| x |||  ||| 1 ||| 1e308 1 |||\n", "no line of a half"),
        ("a ||| x\n", "no line of a half"),
    ):
        (tmp_path / "e2f").write_text(text)
        with pytest.raises(InputError, match=words):
            consolidate(tmp_path / "f2e", tmp_path / "e2f", tmp_path / "out")
    (tmp_path / "coc").write_text("3\n1\n")
    with pytest.raises(InputError, match="counts of counts"):
        consolidate(tmp_path / "f2e", tmp_path / "e2f", tmp_path / "out", Consolidation("good-turing", tmp_path / "coc"))


@needs_moses
def test_orientations_alone_are_the_tables_of_moses(tmp_path: Path) -> None:
    models = [f"{unit}-{events}-bidirectional-fe" for unit in ("wbe", "phrase", "hier") for events in ("msd", "mslr")]
    extract_phrases(
        SOURCE,
        TARGET,
        LINKS,
        tmp_path / "all",
        models=[OrientationModel.parse(f"{unit}-mslr") for unit in ("wbe", "phrase", "hier")],
    )
    (tmp_path / "alone").mkdir()
    shutil.copy(tmp_path / "all" / "extract.o.gz", tmp_path / "alone")
    options = {"extracted": tmp_path / "alone", "out": tmp_path / "out", "only_reordering": True}
    phrase_table(PhraseTableOptions(**options, reordering=models))
    for name in models:
        assert_same(lines(tmp_path / "out" / f"reordering-table.{name}.gz"), lines(TABLES / f"reordering.{name}.gz"))
    assert not (tmp_path / "out" / "phrase-table.gz").exists()
    with pytest.raises(InputError, match="name the models"):
        phrase_table(PhraseTableOptions(**options, replace=True))
    with pytest.raises(InputError, match="halves has no use"):
        phrase_table(PhraseTableOptions(**options, reordering=models, halves=True))


def test_weights_count_in_orientations_alone(tmp_path: Path) -> None:
    rows = ["a ||| x ||| mono mono ||| 3", "a ||| x ||| swap other ||| 0.5", "b ||| x ||| mono swap"]
    (tmp_path / "extract.o.gz").write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode()))
    model = ReorderingModel.parse("wbe-msd-bidirectional-fe")
    build_tables(tmp_path, tmp_path / "out", TableOptions(reordering=(model,), only_reordering=True))
    first, second = lines(tmp_path / "out" / model.file)
    # Half a count is added to each of three orientations.
    assert [float(word) for word in first.split()[4:]] == pytest.approx(
        [3.5 / 5, 1 / 5, 0.5 / 5, 3.5 / 5, 0.5 / 5, 1 / 5], rel=1e-5
    )
    assert [float(word) for word in second.split()[4:]] == pytest.approx([0.6, 0.2, 0.2, 0.2, 0.6, 0.2], rel=1e-5)
