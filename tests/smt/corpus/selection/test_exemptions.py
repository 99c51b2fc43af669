"""Domains that are not judged and marked lines: mml-score's and mml-filter's rules by hand."""

from pathlib import Path

import pytest

from app.errors import InputError
from app.smt.commands.corpus.selection import select_data_command
from app.smt.commands.options.corpus.selection import CorpusSelectOptions
from app.smt.corpus.phrases.scoring.additions.domains import Domains

DOMAINS = "2 news\n5 web\n6 news\n8 web\n"
SCORES = [5.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 1.5]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side in "st":
        (tmp_path / side).write_text("".join(f"{side}{number} word\n" for number in range(1, 9)))
    (tmp_path / "domains").write_text(DOMAINS)
    (tmp_path / "scores").write_text("".join(f"{score}\n" for score in SCORES))
    return tmp_path


def chosen(folder: Path, **options: object) -> list[int]:
    given = {"source": folder / "s", "target": folder / "t", "method": "given", "score_file": folder / "scores", **options}
    select_data_command(CorpusSelectOptions(**given, out_source=folder / "out", replace=True))  # type: ignore[arg-type]
    return [int(line.split()[0][1:]) for line in (folder / "out").read_text().splitlines()]


def test_the_rest_is_taken_and_the_share_counts_judged_pairs(folder: Path) -> None:
    options = {"domains": folder / "domains", "judged_domain": ["web"], "share": 0.4}
    files = {"out_domains": folder / "kept", "scores": folder / "written"}
    # Of five pairs of web, two: 3 and 5; all of news.
    assert chosen(folder, **options, **files) == [1, 2, 3, 5, 6]
    # mml-filter: at each boundary, the number of retained lines and the domain.
    assert (folder / "kept").read_text() == "2 news\n4 web\n5 news\n5 web\n"
    assert Domains.read(folder / "kept").ranges.tolist() == [2, 4, 5]
    assert (folder / "written").read_text().split() == ["99999", "99999", "9", "2", "8", "99999", "7", "1.5"]
    # Its scores are those of mml-filter: the rest is marked now.
    assert chosen(folder, score_file=folder / "written", mark=99999.0, share=0.4) == [1, 2, 3, 5, 6]
    assert chosen(folder, score_file=folder / "written", mark=99999.0, pairs=1, best_first=True) == [1, 2, 6, 3]


def test_pairs_without_words_are_taken_with_their_domain(folder: Path) -> None:
    (folder / "t").write_text((folder / "t").read_text().replace("t1 word", ""))
    assert chosen(folder, domains=folder / "domains", judged_domain=["web"], pairs=1) == [1, 2, 3, 6]
    assert chosen(folder, domains=folder / "domains", pairs=8) == [2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"judged_domain": ["web"]}, "name a domain file"),
        ({"domains": "domains", "judged_domain": ["talks"]}, "names no domain talks"),
        ({"domains": "short", "judged_domain": ["web"]}, "domains of 5 pairs, but the pool has 8"),
        ({"domains": "domains", "out_domains": "x", "best_first": True}, "in its order"),
    ],
)
def test_options_that_do_not_fit_are_refused(folder: Path, options: dict[str, object], words: str) -> None:
    (folder / "short").write_text("2 news\n5 web\n")
    paths = {name: folder / str(value) if name in ("domains", "out_domains") else value for name, value in options.items()}
    with pytest.raises(InputError, match=words):
        chosen(folder, **paths, pairs=2)
