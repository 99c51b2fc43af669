"""`assay resources word-lexicon`, `translation-model` and `continuous-space-model`: from text to features of reranking."""

import json
from pathlib import Path

import pytest
from safetensors import safe_open

from app.smt.lists.reranking.word_lexicon import WordLexicon
from tests.commands import assay

PAIRS = [("Der Hund", "the dog"), ("die Katze", "the cat"), ("ein Hund", "a dog"), ("eine Katze", "a cat")] * 40
KINDS = {"word-lexicon": ("dwl", "--lexicon"), "translation-model": ("neural", "--neural")}
# Hypotheses, the right one last.
NBEST = "0 ||| The cat ||| d= 1 ||| -1\n0 ||| the dog ||| d= 1 ||| -2\n1 ||| the dog ||| d= 1 ||| -1\n1 ||| a cat ||| d= 1 ||| -2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Where commands are run.
    monkeypatch.setattr("tests.commands.ROOT", tmp_path)
    for name, side in (("de", 0), ("en", 1)):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS), "utf-8")
    (tmp_path / "lists").write_text(NBEST, "utf-8")
    (tmp_path / "source").write_text("der Hund\neine Katze\n", "utf-8")
    for name, (feature, _) in KINDS.items():
        weights = {"format": "assay-weights", "version": 1, "weights": {"d": [0.0], feature: [1.0]}}
        (tmp_path / f"{name}.json").write_text(json.dumps(weights), "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", KINDS)
def test_what_is_trained_is_what_rerank_reads(name: str, folder: Path) -> None:
    option = KINDS[name][1]
    more = ["--passes", "15"]
    for out, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        done = assay("resources", name, "de", "en", "--out", out, "--seed", seed, *more)
        assert (done.returncode, done.stdout) == (0, "") and f"wrote {out}, of 160 pairs" in done.stderr, done.stderr
    one, again, other = ((folder / out).read_bytes() for out in ("one", "again", "other"))
    assert one == again != other
    with safe_open(folder / "one", "numpy") as file:
        card = json.loads(file.metadata()["card"])
    assert (card["kind"], card["pairs"], card["seed"], card["passes"], card["cased"]) == (name, 160, 1, 15, False)
    assert list(card["data"]) == ["source de", "target en"] and len(card["sha256"]) == 64
    rerank = ["nbest", "rerank", "lists", "--source", "source", "--weights", f"{name}.json", option, "one"]
    done = assay(*rerank)
    assert done.stdout == "the dog\na cat\n", done.stderr
    done = assay(*rerank, "--cased")
    assert done.returncode == 2 and "remove --cased" in done.stderr
    # A byte of the last array.
    (folder / "one").write_bytes(one[:-3] + bytes([one[-3] ^ 1]) + one[-2:])
    done = assay(*rerank)
    assert done.returncode == 2 and "one is damaged" in done.stderr


def test_pairs_are_evenly_spaced_and_letters_kept(folder: Path) -> None:
    assert assay("resources", "word-lexicon", "de", "en", "-o", "few", "--pairs", "20", "--cased").returncode == 0
    card = WordLexicon.load(folder / "few").card
    assert (card["pairs"], card["cased"]) == (20, True)
    done = assay("nbest", "rerank", "lists", "--source", "source", "--features", "dwl", "--lexicon", "few")
    assert done.returncode == 2 and "add --cased" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["de", "source", "-o", "out"], "de has 160 lines, but source 2"),
        (["de", "missing", "-o", "out"], "missing"),
        (["de", "en", "-o", "nowhere/out"], "nowhere is not a folder"),
        (["de", "en", "-o", "lists"], "lists exists already"),
        (["empty", "empty", "-o", "out"], "needs text"),
        (["long", "long", "-o", "out"], "long.2: 20001 characters"),
    ],
)
@pytest.mark.parametrize("name", KINDS)
def test_what_cannot_be_trained_is_refused(name: str, arguments: list[str], said: str, folder: Path) -> None:
    (folder / "empty").write_text("\n\n", "utf-8")
    (folder / "long").write_text(f"a\n{'a' * 20_001}\n", "utf-8")
    done = assay("resources", name, *arguments)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert not (folder / "out").exists() and (folder / "lists").read_text("utf-8") == NBEST


def test_one_is_not_the_other(folder: Path) -> None:
    assert assay("resources", "word-lexicon", "de", "en", "-o", "lexicon").returncode == 0
    done = assay("nbest", "rerank", "lists", "--source", "source", "--features", "neural", "--neural", "lexicon")
    assert done.returncode == 2 and "lexicon is not a translation model" in done.stderr


def test_a_continuous_space_model_is_what_rerank_reads(folder: Path) -> None:
    for out, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        done = assay(
            "resources",
            "continuous-space-model",
            "en",
            "--out",
            out,
            "--seed",
            seed,
            "--order",
            "3",
            "--passes",
            "4",
            "--lines",
            "100",
        )
        assert (done.returncode, done.stdout) == (0, "") and f"wrote {out}, of 100 lines" in done.stderr, done.stderr
    assert (folder / "one").read_bytes() == (folder / "again").read_bytes() != (folder / "other").read_bytes()
    (folder / "weights.json").write_text(
        json.dumps({"format": "assay-weights", "version": 1, "weights": {"d": [0.0], "cslm": [1.0]}})
    )
    (folder / "lists").write_text("0 ||| dog the ||| d= 1 ||| -1\n0 ||| the dog ||| d= 1 ||| -2\n", "utf-8")
    done = assay("nbest", "rerank", "lists", "--weights", "weights.json", "--continuous-space", "one")
    assert done.stdout == "the dog\n", done.stderr
    for arguments, what in ((["lists", "-o", "one"], "one exists already"), (["missing", "-o", "out"], "missing")):
        done = assay("resources", "continuous-space-model", *arguments)
        assert done.returncode == 2 and what in done.stderr
