"""Configurations and tables that are refused: by name, with file and line."""

from pathlib import Path

import pytest

from app.errors import InputError
from app.smt.decoder.moses_ini import read_moses_ini
from app.smt.decoder.reordering import reordering_type
from app.smt.decoder.system import load_system
from tests.smt.decoder.systems import write_system


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_system(tmp_path, 1, "msd-backward-fe", 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("WordPenalty\n", "WordPenalty\nOpSequenceModel path=x\n", "the feature OpSequenceModel is not supported"),
        ("order=3", "order=3 num-features=2", "KENLM has one score"),
        ("[stack]", "[xml-input]\nexclusive\n[stack]", r"\[xml-input\] is not supported"),
        ("[stack]", "[search-algorithm]\n1\n[stack]", "search-algorithm to 0"),
        ("factor=0", "factor=1", "factor=1 of KENLM is not supported"),
        ("5000", "many", "expected: a number"),
        ("5000", "99999999999999999999", "a stack has 1 to"),
        ("5000", "20000", r"line 4 of moses\.ini: \[stack\]: a stack has 1 to 10000 hypotheses"),
        ("5000", "5.5", r"line 4 of moses\.ini: \[stack\] has to be a whole number"),
        ("[distortion-limit]\n", "[distortion-limit]\n9999999999999999999", "the longest jump is"),
        ("[distortion-limit]\n", "[distortion-limit]\n-7", "the longest jump is"),
        ("table-limit=3", "table-limit=-5", "a table-limit is a number of phrases"),
        ("LM= 0.5", "LM= 1e308", r"numbers of at most 1e\+09"),
        ("LM= 0.5", "LM= nan", "numbers of at most"),
        ("LM= 0.5", "LN= 0.5", "LM has no line in"),
        ("R= 0.2 0.4 0.6", "R= 0.2 0.4", "R has 3 scores and 2 weights"),
        ("type=msd-backward-fe", "type=msd-sideways", "the type of a reordering model is"),
        ("path=table0", "path=nowhere", "nowhere, does not exist"),
        ("Distortion\n", "Distortion\nDistortion name=other\n", "has a Distortion already"),
        ("[weight]", "[mapping]\n0 T 0\n0 G 1\n[weight]", "only tables as steps"),
        ("[weight]", "[mapping]\n0 T ²\n[weight]", "only tables as steps"),
        ("[weight]", f"[mapping]\nT {'0' * 5000}\n[weight]", "only tables as steps"),
        ("[stack]", "[distortion-limit]\n1e300\n[stack]", "the longest jump is"),
    ],
)
def test_what_is_not_done_is_refused_by_name(config: Path, old: str, new: str, message: str) -> None:
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        load_system(config)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("s0 ||| t0 ||| 0.5", "2 scores are expected, not 1"),
        ("s0 ||| t0", "expected: source"),
        ("s0 ||| t0 ||| 0.5 nan", "negative or not finite"),
        ("s0 ||| t0 ||| 0.5 x", "not a number"),
        ("s0 ||| t0 ||| 0.5 1 ||| 0-1", "exceeds the words of the phrases"),
        ("s0 ||| t0 ||| 0.5 1 ||| 0", "not of the form"),
        ("s0 ||| t0 ||| 0.5 1 ||| 0-0 ||| 1 1 1 ||| a", "sparse features are pairs"),
    ],
)
def test_a_bad_line_of_a_table_is_named(config: Path, line: str, message: str) -> None:
    (config.parent / "table0").write_text(f"s1 ||| t1 ||| 0.5 1\n{line}\n")
    with pytest.raises(InputError, match=f"line 2 of table0: .*{message}"):
        load_system(config)


def test_a_bad_line_of_a_reordering_table_is_named(config: Path) -> None:
    (config.parent / "reordering").write_text("s0 ||| t0 ||| 0.1 0.2 0.7\ns0 ||| t0 ||| 0.1 0.2\n")
    with pytest.raises(InputError, match="line 2 of reordering: 3 scores are expected"):
        load_system(config)


def test_limits_of_tables_keep_what_is_best_by_itself(config: Path) -> None:
    rows = "".join(f"s0 ||| t{k % 4} t0 ||| {k / 10} 1\n" for k in range(1, 9))
    (config.parent / "table0").write_text(rows)
    system = load_system(config)
    assert len(system.rows) == 3
    config.write_text(config.read_text().replace("table-limit=3", "table-limit=0"))
    assert len(load_system(config).rows) == 8


def test_a_configuration_says_what_moses_takes_from_it(config: Path) -> None:
    ini = read_moses_ini(config)
    assert (ini.limits.stack, ini.limits.distortion, ini.limits.threshold) == (5000, 2, 0)
    unknown = next(feature for feature in ini.features if feature.kind == "UnknownWordPenalty")
    assert unknown.name == "UnknownWordPenalty0" and unknown.weights == (1.0,)


def test_types_of_reordering_models() -> None:
    assert reordering_type("wbe-msd-bidirectional-fe-allff").scores == 6
    assert reordering_type("hier-mslr-bidirectional-fe").scores == 8
    assert reordering_type("phrase-monotonicity-forward-f").columns_of(False) == [0, 1, 1, 1]
    assert reordering_type("msd-bidirectional-fe").columns_of(False) == [3, 4, 5, 5]
