"""Treebanks as our tokens see them, and taggers trained on tiny ones."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from app.building.linear_tagging import linear_accuracy, train_linear_tagger
from app.building.treebanks import as_tokens, as_words, read_treebank
from app.errors import InputError
from app.resources.tagger import UNIVERSAL_TAGS
from app.text import pack_tokens
from app.text.tokenisation import tokeniser_for

GERMAN = """\
# text = Er schläft im US-Haus.
1\tEr\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tschläft\t_\tVERB\t_\t_\t0\troot\t_\t_
3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_
3\tin\t_\tADP\t_\t_\t7\tcase\t_\t_
4\tdem\t_\tDET\t_\t_\t7\tdet\t_\t_
5\tUS\t_\tPROPN\t_\t_\t7\tcompound\t_\tSpaceAfter=No
6\t-\t_\tPUNCT\t_\t_\t7\tpunct\t_\tSpaceAfter=No
7\tHaus\t_\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
8\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_
8.1\tnichts\t_\tX\t_\t_\t_\t_\t_\t_

"""
ENGLISH = """\
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\t_\tAUX\t_\t_\t3\taux\t_\t_
2\tn't\t_\tPART\t_\t_\t3\tadvmod\t_\t_
3\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_
4\t?!\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
CHINESE = """\
1\t你们\t_\tPRON\t_\t_\t2\tnsubj\t_\tSpaceAfter=No
2\t好\t_\tADJ\t_\t_\t0\troot\t_\tSpaceAfter=No

"""


def written(path: Path, text: str) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


def names(tags: tuple[int, ...]) -> list[str]:
    return [UNIVERSAL_TAGS[tag] for tag in tags]


def test_contractions_and_parts_of_words_have_tags_and_heads(tmp_path: Path) -> None:
    (sentence,) = read_treebank(written(tmp_path / "de.gz", GERMAN))
    tokens = as_tokens(sentence, tokeniser_for("de"))
    assert tokens is not None
    # `im` is ADP and DET, of which neither governs the other: the first one's; the house governs the others of US-Haus.
    assert tokens.tokens == ("Er", "schläft", "im", "US-Haus", ".")
    assert names(tokens.tags) == ["PRON", "VERB", "ADP", "NOUN", "PUNCT"]
    assert tokens.heads == (1, 5, 3, 1, 1)
    assert as_words(sentence, "de").tokens == ("Er", "schläft", "in", "dem", "US", "-", "Haus", ".")

    (sentence,) = read_treebank(written(tmp_path / "en.gz", ENGLISH))
    tokens = as_tokens(sentence, tokeniser_for("en"))
    assert tokens is not None
    assert tokens.tokens == ("don", "'t", "go", "?", "!")
    assert names(tokens.tags) == ["AUX", "PART", "VERB", "PUNCT", "PUNCT"]
    assert tokens.heads == (2, 2, 5, 4, 2)

    (sentence,) = read_treebank(written(tmp_path / "zh.gz", CHINESE))
    tokens = as_tokens(sentence, tokeniser_for("zh"))
    assert tokens == as_words(sentence, "zh")
    assert tokens is not None
    assert (tokens.tokens, names(tokens.tags), tokens.heads) == (("你", "们", "好"), ["PRON", "PRON", "ADJ"], (1, 2, 3))


def test_what_is_no_treebank_is_refused(tmp_path: Path) -> None:
    for text, reason in (
        ("1\tone\n", "line 1: 2 columns, not 10"),
        ("2\tone\t_\tX\t_\t_\t0\t_\t_\t_\n\n", "line 2: words must be numbered"),
        ("1\tone\t_\tX\t_\t_\t7\t_\t_\t_\n\n", "with heads among them"),
        ("1-x\tone\t_\tX\t_\t_\t0\t_\t_\t_\n\n", "line 2: words must be numbered"),
    ):
        with pytest.raises(InputError, match=reason):
            list(read_treebank(written(tmp_path / "bad.gz", text)))
    with pytest.raises(InputError, match="has no sentences"):
        train_linear_tagger("de", written(tmp_path / "empty.gz", "\n"))


def test_a_tagger_learns_its_treebank_and_the_same_one_twice(tmp_path: Path) -> None:
    path = written(tmp_path / "train.gz", GERMAN * 6)
    first, second = (train_linear_tagger("de", path) for _ in range(2))
    assert first.heads is not None and second.heads is not None
    assert (first.tags == second.tags).all() and (first.heads == second.heads).all()
    tags, heads = first.annotate(pack_tokens([["Er", "schläft", "im", "US-Haus", "."]]), True)
    assert heads is not None
    assert names(tuple(tags)) == ["PRON", "VERB", "ADP", "NOUN", "PUNCT"]
    assert np.asarray(heads).tolist() == [1, -1, 3, 1, 1]
    accuracy = linear_accuracy(first, "de", path)
    assert accuracy == {
        "test_tokens": 48, "test_upos": 1.0, "test_unlabelled_attachment": 1.0,
        "test_own_tokens": 30, "test_own_upos": 1.0, "test_own_unlabelled_attachment": 1.0,
    }  # fmt: skip
