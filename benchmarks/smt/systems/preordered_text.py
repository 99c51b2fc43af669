"""Text in several orders of its source words, and systems of it, for ``benchmarks.smt.systems.preordering``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import Int64s
from app.building.alignment.files import AlignmentFiles, align_files
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.preordering.evaluation import evaluate_orders
from app.smt.preordering.gold import gold_order, linked_places
from app.smt.reordering.models.training import read_sentences
from app.text.batch import pack_tokenised
from benchmarks.smt.corpus.weighting import assay
from benchmarks.text_lines import lines

PARTS: Final = ("train", "dev", "test")
ROLES: Final = ("source", "target", "links")
CAPTIONS: Final = ("de-en", "en-de")
MODEL: Final = "hier-mslr-bidirectional-fe"
ORDER: Final = 5

# Source positions of each sentence in a new order.
Orders = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Part:
    """A part of the corpus: source words and links of each sentence, shape (k, 2), and the targets."""

    sentences: list[tuple[list[str], Int64s]]
    targets: list[str]

    @classmethod
    def of(cls, folder: Path, name: str) -> "Part":
        source, target, links = (folder / f"{name}.{role}" for role in ROLES)
        return cls(list(read_sentences(source, target, links)), lines(target))

    @property
    def source_orders(self) -> Orders:
        return [range(len(words)) for words, _ in self.sentences]

    @property
    def gold_orders(self) -> Orders:
        return [gold_order(len(words), links).tolist() for words, links in self.sentences]

    def kendall(self, orders: Orders) -> float:
        """Mean Kendall of orders against the links of sentences that have a gold order."""
        places = [linked_places(len(words), links) for words, links in self.sentences]
        pairs = [(order, gold) for order, gold in zip(orders, places, strict=True) if gold is not None]
        return evaluate_orders(*zip(*pairs, strict=True)).means()["kendall"]

    def texts(self, orders: Orders) -> list[str]:
        return [" ".join(words[place] for place in order) for (words, _), order in zip(self.sentences, orders, strict=True)]

    def links(self, orders: Orders) -> list[str]:
        """Links to the words in their new places."""
        rows = []
        for (_, pairs), order in zip(self.sentences, orders, strict=True):
            places = np.argsort(order)[pairs[:, 0]].tolist()
            rows.append(" ".join(f"{place}-{target}" for place, target in sorted(zip(places, pairs[:, 1].tolist(), strict=True))))
        return rows


def write(path: Path, rows: Sequence[str]) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


def write_corpus(data: Path, pair: str, sizes: dict[str, int], folder: Path) -> None:
    """Write the source, target and links of each part of a pair; a size of 0 is all."""
    columns = captions(data / "multi30k-de-en") if pair in CAPTIONS else wikipedia(data / "mlqe-pe" / pair, sizes["dev"])
    for part, (source, target, links) in columns.items():
        if pair == "en-de":
            inverse_links = [" ".join("-".join(reversed(link.split("-"))) for link in row.split()) for row in links]
            source, target, links = target, source, inverse_links
        for role, column in zip(ROLES, (source, target, links), strict=True):
            write(folder / f"{part}.{role}", column[: sizes[part] or None])


def captions(data: Path) -> dict[str, list[list[str]]]:
    """German, English and links. An aligner that learns from the training text alone links the rest, for gold orders."""
    columns = {
        part: [lines(data / f"{name}.{side}.gz") for side in ("de", "en")]
        for part, name in zip(PARTS, ("train", "val", "test_2016_flickr"), strict=True)
    }
    with TemporaryDirectory() as name:
        for part in PARTS:
            sides = [write(Path(name, f"{part}.{side}"), column) for side, column in enumerate(columns[part])]
            model = Path(name, "aligner")
            models = {"save": model} if part == "train" else {"model": model}
            align_files(*sides, AlignmentFiles(links=Path(name, part)), **models)
            columns[part].append(lines(data / "train.aligned.gdfa.gz" if part == "train" else Path(name, part)))
    return columns


def wikipedia(data: Path, dev: int) -> dict[str, list[list[str]]]:
    """Sources, machine translations and links; the last `dev` sentences of the training text are for tuning."""
    train, test = ([lines(data / f"{name}.{role}.gz") for role in ("tok.src", "tok.mt", "alignments")] for name in ("train", "dev"))
    return {"train": [column[:-dev] for column in train], "dev": [column[-dev:] for column in train], "test": test}


def preordered(folder: Path, samples: int, size: int) -> dict[str, Orders]:
    """Best orders of each part by a grammar of the training text. Lattices of `size` orders of dev and test are written beside."""
    grammar = folder / "grammar"
    if not (grammar / "grammar").is_dir():
        assay("smt", "preorder", "train", *(folder / f"train.{role}" for role in ROLES), "--threads", 1, "--out", grammar)
    result = {}
    for part in PARTS:
        apply = ("smt", "preorder", "apply", grammar, folder / f"{part}.source", "--samples", samples)
        if not (path := folder / f"{part}.positions").exists():
            write(path, assay(*apply, "--to", "positions").split("\n")[:-1])
        if part != "train" and not (lattices := folder / f"{part}.plf").exists():
            write(lattices, assay(*apply, "--to", "plf", "--n-best", size).split("\n")[:-1])
        result[part] = [[int(position) for position in row.split()] for row in lines(path)]
    return result


def build_system(train: Part, orders: Orders, folder: Path) -> Path:
    """Configuration of a system of the training text in these orders, with permuted links; a finished one stays."""
    config = folder / "moses.ini"
    if config.exists():
        return config
    folder.mkdir(exist_ok=True)
    files = [(train.texts(orders), "source"), (train.targets, "target"), (train.links(orders), "links")]
    paths = [write(folder / role, rows) for rows, role in files]
    extract_phrases(*paths, folder / "phrases", models=[OrientationModel.parse("hier-mslr")], replace=True)
    build_tables(folder / "phrases", folder / "tables", TableOptions(reordering=(ReorderingModel.parse(MODEL),)), replace=True)
    write_kenlm_trie(estimate_language_model(pack_tokenised(train.targets), ORDER), folder / "lm.binary")
    reordering = {MODEL: f"tables/reordering-table.{MODEL}.gz"}
    limits = SearchLimits()
    config.write_text(configuration(f"tables/{PHRASE_TABLE}", reordering, "lm.binary", ORDER, limits, 20))
    return config
