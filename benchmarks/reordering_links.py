"""Words of MLQE-PE with their classes, and links between words: published ones, and of lexical tables."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Int64s
from app.building.alignment.symmetrisation import symmetrise
from app.features.lexical_links import find_links
from app.resources.lexical_table import LexicalTable
from app.resources.linear_tagger import LINEAR_TAGGER, load_linear_model
from app.resources.tagger import LinearTagger
from app.smt.reordering.models.classes import classes_of
from app.text.batch import pack_lines
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from benchmarks.text_lines import lines
from scripts.mlqe_pe.everything import Split

__all__ = ["Part", "pairs_of", "table_links"]


@dataclass
class Part:
    """Words of a file of the data, classes of source words, lower-cased words, published links."""

    split: Split
    words: list[list[str]]
    translations: list[list[str]]
    classes: list[list[str]]
    corpus: ParallelCorpus
    links: WordLinks

    @classmethod
    def of(cls, split: Split, resources: Path) -> "Part":
        stem = str(split.path).removesuffix(".tsv.gz")
        source, target, links = (lines(Path(f"{stem}.{name}.gz")) for name in ("tok.src", "tok.mt", "alignments"))
        path = resources / split.pair.source / "tagger" / LINEAR_TAGGER
        words, translations = ([line.split() for line in side] for side in (source, target))
        classes = list(classes_of(LinearTagger(load_linear_model(path)) if path.is_file() else None, words))
        corpus = ParallelCorpus(*(pack_lines([line.lower() for line in side]) for side in (source, target)))
        return cls(split, words, translations, classes, corpus, WordLinks.read(links))


def pairs_of(links: WordLinks) -> list[Int64s]:
    """Links of each segment; shape (k, 2) each."""
    rows = np.column_stack([links.source, links.target]).astype(np.int64)
    return np.split(rows, links.offsets[1:-1])


def table_links(corpus: ParallelCorpus, forward: LexicalTable, reverse: LexicalTable) -> WordLinks:
    """Links that both lexical tables choose, as the service could at any time."""
    source_of = find_links(forward, corpus.source, corpus.target).place
    return symmetrise(corpus, source_of, find_links(reverse, corpus.target, corpus.source).place, "intersect")
