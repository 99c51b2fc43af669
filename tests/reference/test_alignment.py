"""The aligner on real text: perplexity falls every iteration, and its links are near the published ones."""

import gzip
import itertools
from pathlib import Path

import pytest

from app.corpus.alignment import train_alignment
from app.corpus.symmetrisation import alignment_error_rate, grow_diag_final_and, parse_links


@pytest.mark.slow
def test_perplexity_falls_and_links_agree(shared: Path) -> None:
    folder = shared / "data" / "mlqe-pe" / "ro-en"

    def lines(name: str) -> list[str]:
        with gzip.open(folder / name, "rt", encoding="utf-8", newline="\n") as file:
            return file.read().split("\n")[:-1]

    source = [line.lower().split() for split in ("train", "dev") for line in lines(f"{split}.tok.src.gz")]
    target = [line.lower().split() for split in ("train", "dev") for line in lines(f"{split}.tok.mt.gz")]
    gold = [parse_links(line) for line in lines("dev.alignments.gz")]
    forward, backward = train_alignment(source, target), train_alignment(target, source)
    for trained in (forward, backward):
        for stage in trained.perplexities:
            assert all(later < earlier for earlier, later in itertools.pairwise(stage))
    n = len(gold)
    links = [grow_diag_final_and(f, b) for f, b in zip(forward.links[-n:], backward.links[-n:], strict=True)]
    assert alignment_error_rate(links, gold) < 0.33
