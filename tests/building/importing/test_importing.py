"""What other programs made becomes resources: held to KenLM, to Moses' tables and to counts that are counted here."""

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import kenlm
import numpy as np
import pytest
from typer.testing import CliRunner

from app.building.importing.counted_ngrams import read_counted_ngrams
from app.building.importing.folders import import_language, import_pair
from app.building.importing.translations import ConditionColumn, read_translations, read_vocabulary
from app.engine import Engine
from app.errors import InputError
from app.resources.lexical_table import LexicalTable
from app.resources.ngram_counts import NgramCounts
from app.shell.here import engine_here, settings_here
from app.shell.program import program
from app.text import LanguagePair, pack_tokens
from app.text.hashing import hash_tokens
from tests.toy_pair import TRANSLATIONS, sentences, translated

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "resources" / "data"
MOSES = ROOT.parent / "shared" / "reference" / "moses-tables"
TEXT = sentences(400, 3)
PAIR = LanguagePair.parse("ee-bm")


def counted(lines: list[list[str]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(line[k : k + n]) for line in lines for n in (1, 2, 3) for k in range(len(line) - n + 1))


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "counts.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{' '.join(ngram)}\t{count}\n" for ngram, count in counted(TEXT).items())
    return path


def same(one: NgramCounts, other: NgramCounts) -> None:
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name])


def test_counts_are_those_of_the_text(counts: Path) -> None:
    same(read_counted_ngrams([counts]).counts, NgramCounts.count(pack_tokens(TEXT)))


def test_counts_of_several_files_are_added_up(tmp_path: Path) -> None:
    for name, lines in (("a", TEXT[:150]), ("b", TEXT[150:])):
        (tmp_path / name).write_text("".join(f"{' '.join(ngram)} {count}\n" for ngram, count in counted(lines).items()))
    same(read_counted_ngrams([tmp_path / "a", tmp_path / "b"]).counts, NgramCounts.count(pack_tokens(TEXT)))


def test_cutoffs_are_those_that_quest_writes(tmp_path: Path) -> None:
    """QuEst's own file: cut-offs of the kept counts (those above 2) stand before the n-grams, each line ends as on Windows."""
    kept = {ngram: count for ngram, count in counted(TEXT).items() if count > 2}
    heads, expected = [], []
    for n in (1, 2, 3):
        ascending = sorted(count for ngram, count in kept.items() if len(ngram) == n)
        expected.append([ascending[j * (len(ascending) - 1) // 4] for j in (1, 2, 3, 4)])
        heads.append(f"{n - 1}-gram\t" + "".join(f"{cut}\t" for cut in expected[-1]))
    path = tmp_path / "quest.clean"
    path.write_text("\r\n".join([*heads, *(f"{' '.join(ngram)}\t{count}" for ngram, count in kept.items()), ""]))
    assert [cuts.tolist() for cuts in read_counted_ngrams([path]).counts.cutoffs] == expected


def test_a_word_that_looks_like_a_heading_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("3-gram\t7\nStraße ab\t4\nx\t2\na b c d\t9\n")
    read = read_counted_ngrams([tmp_path / "c"])
    assert read.counts.word_frequencies(hash_tokens(["3-gram", "x"])).tolist() == [7, 2]
    assert read.ngrams == (2, 1, 0) and read.longer == 1


@pytest.mark.parametrize("line", ["a b", "a\t-1", "a\t1.5", "\t3", "a  b\t2", "a\tb\t2x", "a\t" + "9" * 30])
def test_a_line_that_is_no_count_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "c").write_text(f"good\t5\n{line}\n")
    with pytest.raises(InputError, match=r"line 2 of .*c"):
        read_counted_ngrams([tmp_path / "c"])


@pytest.mark.parametrize("name", ["model.arpa", "probing.binary", "trie.binary", "array.binary", "quantised.binary"])
def test_any_model_of_kenlm_scores_as_it_did(tmp_path: Path, counts: Path, name: str) -> None:
    imported = import_language("ee", MODELS / name, [counts], tmp_path / "out")
    # The counts are of another text, and that is told.
    assert any("know" in caution for caution in imported.cautions)
    peer, written = kenlm.Model(str(MODELS / name)), kenlm.Model(str(tmp_path / "out" / "lm.binary"))
    for line in ("looking on a little", "more also", "zebra"):
        assert written.score(line) == pytest.approx(peer.score(line), abs=1e-5)
    with pytest.raises(InputError, match="is there already"):
        import_language("ee", MODELS / name, [counts], tmp_path / "out")
    import_language("ee", MODELS / name, [counts], tmp_path / "out", replace=True)


def test_what_is_no_model_leaves_nothing(tmp_path: Path, counts: Path) -> None:
    (tmp_path / "bad").write_text("no model")
    with pytest.raises(InputError, match="not a language model"):
        import_language("ee", tmp_path / "bad", [counts], tmp_path / "out")
    assert not (tmp_path / "out").exists()


ROWS = [
    ("the", "das", 0.6),
    ("the", "der", 0.4),
    ("house", "haus", 0.9),
    ("house", "das", 0.1),
    ("a", "das", 0.5),
    ("a", "ein", 0.5),
]
BACK = [
    ("das", "the", 0.7),
    ("das", "a", 0.2),
    ("das", "house", 0.1),
    ("der", "the", 1.0),
    ("haus", "house", 1.0),
    ("ein", "a", 1.0),
]


def written(path: Path, rows: list[tuple[str, str, float]], turned: bool = False) -> Path:
    text = "".join(f"{other} {one} {p:.7f}\n" if turned else f"{one} {other} {p:.7f}\n" for one, other, p in rows)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("turned", [False, True])
def test_columns_are_told_by_their_sums(tmp_path: Path, turned: bool) -> None:
    import_pair(
        PAIR,
        written(tmp_path / "f", ROWS, turned),
        written(tmp_path / "b", BACK, turned),
        tmp_path / "out",
        ConditionColumn.SECOND if turned else None,
    )
    for name, rows in (("ee-bm", ROWS), ("bm-ee", BACK)):
        table = LexicalTable.load(tmp_path / "out" / f"lex.{name}.safetensors")
        for threshold in (0.05, 0.3, 0.55):
            for word in {given for given, _, _ in rows}:
                expected = sum(given == word and p > threshold for given, _, p in rows)
                assert table.translations(hash_tokens([word]), threshold).tolist() == [expected]


def test_gizas_numbers_are_words(tmp_path: Path) -> None:
    (tmp_path / "s.vcb").write_text("1 UNK 0\n2 the 5\n3 house 2\n4 a 3\n")
    (tmp_path / "t.vcb").write_text("1 UNK 0\n2 das 5\n3 haus 2\n4 der 1\n5 ein 1\n")
    numbers = {"the": 2, "house": 3, "a": 4, "das": 2, "haus": 3, "der": 4, "ein": 5}
    (tmp_path / "t3").write_text("0 2 0.3\n" + "".join(f"{numbers[one]} {numbers[other]} {p}\n" for one, other, p in ROWS))
    vocabularies = read_vocabulary(tmp_path / "s.vcb"), read_vocabulary(tmp_path / "t.vcb")
    read = read_translations(tmp_path / "t3", None, vocabularies)
    plain = read_translations(written(tmp_path / "plain", ROWS))
    assert read.empty == 1
    for name, array in plain.table().arrays().items():
        np.testing.assert_array_equal(read.table().arrays()[name], array)
    (tmp_path / "t3").write_text("9 2 0.3\n")
    with pytest.raises(InputError, match=r"line 1 of .* has 9"):
        read_translations(tmp_path / "t3", None, vocabularies)


@pytest.mark.parametrize("line", ["a b", "a b nan", "a b 1.5", "a b c 0.5", "a b -0.1"])
def test_a_line_that_is_no_probability_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "t").write_text(f"x y 0.5\n{line}\n")
    with pytest.raises(InputError, match="line 2 of"):
        read_translations(tmp_path / "t")


def test_unclear_and_wrong_tables_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("a", "b", 0.5), ("c", "d", 0.5)])
    with pytest.raises(InputError, match="--given"):
        read_translations(one)
    assert read_translations(one, ConditionColumn.SECOND).order is ConditionColumn.SECOND
    with pytest.raises(InputError, match="no table of probabilities"):
        read_translations(written(tmp_path / "two", [("a", "b", 0.9), ("a", "c", 0.9), ("d", "b", 0.9)]))
    with pytest.raises(InputError, match="given its second word"):
        read_translations(written(tmp_path / "f", ROWS), ConditionColumn.SECOND)
    with pytest.raises(InputError, match="give p\\(target"):
        import_pair(PAIR, tmp_path / "f", tmp_path / "f", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not MOSES.is_dir(), reason="Moses' tables are not here")
def test_moses_tables_are_read_whole(tmp_path: Path) -> None:
    import_pair(PAIR, MOSES / "lex.f2e.gz", MOSES / "lex.e2f.gz", tmp_path / "out")
    with gzip.open(MOSES / "lex.f2e.gz", "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file]
    # Its lines are `word given probability`.
    expected = Counter(given for word, given, p in rows if "NULL" not in (word, given) and float(p) > 0.2)
    table = LexicalTable.load(tmp_path / "out" / "lex.ee-bm.safetensors")
    words = [word for word, _ in expected.most_common(300)]
    assert table.translations(hash_tokens(words), 0.2).tolist() == [expected[word] for word in words]


def _assay(*command: object) -> Any:
    engine_here.cache_clear()
    return CliRunner().invoke(program, [str(part) for part in command], catch_exceptions=False)


def test_features_are_computed_from_what_was_imported(tmp_path: Path, counts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("DATA_DIR", "data"), ("RESOURCES_DIR", "none"), ("MODELS_DIR", "none")):
        monkeypatch.setenv(f"ASSAY_{name}", str(tmp_path / value))
    settings_here.cache_clear()
    try:
        other = tmp_path / "bm.counts"
        other.write_text("".join(f"{' '.join(ngram)}\t{n}\n" for ngram, n in counted([translated(line) for line in TEXT]).items()))
        for language, file in (("ee", counts), ("bm", other)):
            result = _assay("resources", "import-lm", MODELS / "trie.binary", "--counts", file, "--language", language)
            assert result.exit_code == 0 and "caution: the model knows" in result.stderr
        rows = [(one, two, 1.0) for one, two in TRANSLATIONS.items()]
        forward = written(tmp_path / "ti.final", rows)
        backward = written(tmp_path / "ti.back", [(two, one, p) for one, two, p in rows])
        with pytest.raises(InputError, match="--given"):
            _assay("resources", "import-lexical", forward, backward, "--pair", "ee-bm")
        assert _assay("resources", "import-lexical", forward, backward, "--pair", "ee-bm", "--given", "first").exit_code == 0
        engine_here.cache_clear()
        engine: Engine = engine_here()
        assert [str(pair) for pair in engine.resources.pairs] == ["ee-bm"]
        (tmp_path / "s").write_text(" ".join(TEXT[0]) + "\n")
        (tmp_path / "t").write_text(" ".join(translated(TEXT[0])) + "\n")
        result = _assay("features", tmp_path / "s", tmp_path / "t", "--pair", "ee-bm", "--format", "tsv")
        assert result.exit_code == 0, result.stderr
    finally:
        settings_here.cache_clear()
        engine_here.cache_clear()
