"""The aligner on real text: perplexity falls every iteration, and its links are near the published ones."""

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest

from app.building.alignment.symmetrisation import alignment_error_rate, symmetrise
from app.building.alignment.variational import train_alignment
from app.text.parallel_corpus import ParallelCorpus, WordLinks

# Of each split, the last.
ROWS = 2_000


@pytest.mark.slow
def test_perplexity_falls_and_links_agree(shared: Path) -> None:
    folder = shared / "data" / "mlqe-pe" / "ro-en"

    def lines(name: str) -> list[str]:
        with gzip.open(folder / name, "rt", encoding="utf-8", newline="\n") as file:
            return file.read().split("\n")[:-1]

    source, target = (
        [line.lower() for split in ("train", "dev") for line in lines(f"{split}.tok.{side}.gz")[-ROWS:]] for side in ("src", "mt")
    )
    gold = WordLinks.read(lines("dev.alignments.gz"))
    corpus = ParallelCorpus.of_lines(source, target)
    forward, backward = train_alignment(corpus), train_alignment(corpus.reversed)
    for trained in (forward, backward):
        for stage in trained.perplexities:
            assert all(later < earlier for earlier, later in itertools.pairwise(stage))
    links = symmetrise(corpus, forward.source_of, backward.source_of)
    assert alignment_error_rate(links.rows(np.arange(len(corpus))[-len(gold) :]), gold) < 0.33
