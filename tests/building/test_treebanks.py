"""What is read from treebanks: function words, and a tagger trained on one."""

import gzip
from pathlib import Path

import pytest

from app.building.function_words import function_words
from app.building.tagging import build_tagger
from app.building.treebanks import read_treebank
from app.errors import InputError
from app.resources.tagger import UNIVERSAL_TAGS, UdpipeTagger
from app.text.batch import pack_tokens

SENTENCE = [("The", "DET"), ("cat", "NOUN"), ("sat", "VERB"), ("on", "ADP"), ("the", "DET"), ("mat", "NOUN"), (".", "PUNCT")]


def conllu(times: int) -> str:
    # Every word depends on the verb, the third word.
    rows = [
        f"{k}\t{word}\t_\t{tag}\t_\t_\t{0 if k == 3 else 3}\t{'root' if k == 3 else 'dep'}\t_\t_"
        for k, (word, tag) in enumerate(SENTENCE, 1)
    ]
    return "\n".join(["# text", "1-2\tThecat\t_\t_\t_\t_\t_\t_\t_\t_", *rows, "", ""]) * times


def test_function_words_are_closed_classes_by_frequency() -> None:
    assert function_words(conllu(3).split("\n")) == ["the", "on"]
    assert function_words(conllu(3).split("\n"), limit=1) == ["the"]


def test_a_tagger_learns_its_treebank(tmp_path: Path) -> None:
    for split in ("train", "test"):
        with gzip.open(tmp_path / f"{split}.conllu.gz", "wt", encoding="utf-8") as text:
            text.write(conllu(20))
    build_tagger("en", tmp_path, tmp_path / "tagger")
    tagger = UdpipeTagger.load(tmp_path / "tagger" / "tagger.udpipe")
    tags = tagger.annotate(pack_tokens([[word for word, _ in SENTENCE], []]), parse=False).tags
    assert [UNIVERSAL_TAGS[tag] for tag in tags] == [tag for _, tag in SENTENCE]


@pytest.mark.parametrize("keep", [20, 0.5])
def test_a_file_that_is_cut_short_is_named(tmp_path: Path, keep: float) -> None:
    rows = "".join(f"1\tw{n * n}\tw\tNOUN\t_\t_\t0\troot\t_\t_\n\n" for n in range(1, 2000))
    packed = gzip.compress(rows.encode())
    (tmp_path / "cut.conllu.gz").write_bytes(packed[: int(keep if keep > 1 else keep * len(packed))])
    with pytest.raises(InputError, match=r"cut\.conllu\.gz is a damaged gzip file"):
        list(read_treebank(tmp_path / "cut.conllu.gz"))
