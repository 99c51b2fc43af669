"""Studies of selectors: a row is what `corpus select` chooses, weights tuned on the lists of that alone, and what they choose elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
import typer

from app.errors import InputError
from app.metrics import metric_named
from app.shell.program import program
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.reading.n_best_lists.bars import read_n_best
from benchmarks.smt.corpus.selection_study import commands
from tests.smt.corpus.selection.test_methods import written

METRIC = "bleu|tok:none"
WORDS = [f"w{number}" for number in range(30)]
COMMAND = typer.main.get_command(program)
STUDY = typer.main.get_command(commands)


def texts_of(seed: int, count: int) -> tuple[list[str], list[str], list[str]]:
    """Sources, references, and lists whose first feature tells how many words are wrong, where the second is noise."""
    generator = np.random.default_rng(seed)
    sources, references, lists = [], [], []
    for segment in range(count):
        words = generator.choice(WORDS, int(generator.integers(4, 9))).tolist()
        sources.append(" ".join(words))
        references.append(" ".join(word.upper() for word in words))
        for _ in range(5):
            wrong = generator.random(len(words)) < 0.3
            text = " ".join("X" if bad else word.upper() for bad, word in zip(wrong, words, strict=True))
            right = -float(wrong.sum()) + float(generator.normal())
            lists.append(f"{segment} ||| {text} ||| right= {right} noise= {3 * generator.normal()} ||| 0")
    return sources, references, lists


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, seed, count in (("pool", 1, 24), ("test", 2, 30)):
        for part, lines in zip(("source", "target", "lists"), texts_of(seed, count), strict=True):
            written(tmp_path, f"{name}.{part}", lines)
    return tmp_path


def studied(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    lists = ["--n-best", "pool.lists", "--held-out", "test.lists", "--held-out-reference", "test.target"]
    STUDY.main(["pool.source", "pool.target", *lists, "-f", "json", *words], standalone_mode=False)
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def worth(rows: list[int], seed: int) -> float:
    """MERT on the lists of these pairs alone, and sacreBLEU of what its weights choose of the other lists."""
    targets = Path("pool.target").read_text().splitlines()
    held = read_n_best(Path("test.lists").read_text().splitlines())
    pool = pool_of(read_n_best(Path("pool.lists").read_text().splitlines()), metric_named(METRIC), [targets])
    weights = tune(TuningData(pool.rows(np.array(rows)), np.ones(2)), "mert", [seed]).best.weights
    chosen = held.values @ weights
    texts = [held.texts[first + int(np.argmax(chosen[first : first + 5]))] for first in held.offsets[:-1].tolist()]
    references = Path("test.target").read_text().splitlines()
    return sacrebleu.corpus_bleu(texts, [references], tokenize="none", force=True).score


def test_a_row_is_choosing_tuning_and_measuring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = studied(capsys, "-m", "random", "-m", "length|low:5|high:7|seed:4", "--words", "30", "--words", "60", "--repeats", "2")
    rows = answer["rows"]
    assert isinstance(rows, list)
    assert [(row["method"], row["budget"]) for row in rows] == [
        ("random", 30), ("random", 60), ("length|low:5|high:7|seed:4", 30), ("length|low:5|high:7|seed:4", 60),
    ]  # fmt: skip
    for row in rows:
        for seed, repeat in zip((1, 2), row["repeats"], strict=True):
            # A method draws anew for each seed, unless it has one of its own.
            method = f"random|seed:{seed}" if row["method"] == "random" else row["method"]
            out = ["--words", str(row["budget"]), "--out-source", "chosen", "--decisions", "decisions", "--replace"]
            COMMAND.main(["corpus", "select", "pool.source", "pool.target", "-m", method, *out], standalone_mode=False)
            chosen = [place for place, word in enumerate(Path("decisions").read_text().split()) if word == "chosen"]
            words = Path("chosen").read_text().split()
            assert (repeat["pairs"], repeat["words"], repeat["distinct"]) == (len(chosen), len(words), len(set(words)))
            assert repeat["score"] == pytest.approx(worth(chosen, seed))
        scores = [repeat["score"] for repeat in row["repeats"]]
        assert row["mean"] == pytest.approx(np.mean(scores)) and row["deviation"] == pytest.approx(np.std(scores, ddof=1))


def test_without_a_budget_all_is_tuned_on_and_limits_of_likeness_are_tried(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = studied(capsys, "-m", "random", "--diversity", "1", "--diversity", "0.1", "--repeats", "1", "--seed", "7")
    rows = answer["rows"]
    assert isinstance(rows, list)
    assert rows[0]["repeats"][0]["pairs"] == 24 > rows[1]["repeats"][0]["pairs"] and rows[0]["deviation"] is None
    assert rows[0]["mean"] == pytest.approx(worth([*range(24)], 7)) and answer["seeds"] == [7]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-m", "randomly"], "methods are random"),
        (["-m", "la"], "la needs links|--function-words"),
        (["-m", "random", "--in-source", "pool.source"], "none of the methods has a use for this"),
        (["-m", "length|low:40"], "chooses nothing of this text"),
        (["-m", "random", "--tuner", "guess"], "guess|methods"),
    ],
)
def test_what_cannot_be_studied_is_refused(
    words: list[str], problem: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=problem):
        studied(capsys, *words)


def test_every_pair_needs_a_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in Path("pool.lists").read_text().splitlines() if not line.startswith("5 ")]
    written(folder, "pool.lists", lines)
    with pytest.raises(InputError, match="lists of 23 segments, but line 6 of the text has none"):
        studied(capsys, "-m", "random")
