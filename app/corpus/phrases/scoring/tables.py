"""Phrase tables and tables of orientations, as Moses' score, consolidate and lexical-reordering-score make them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import Bools, Float32s, UInt8s
from app.corpus.external_sort import DEFAULT_MEMORY
from app.corpus.gzip_files import written_gzip
from app.corpus.phrases.compact import write_compact
from app.corpus.phrases.extraction import COMPRESSION
from app.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E, LexicalTable
from app.corpus.phrases.manifests import TABLE_MANIFEST, extracted_sentences, write_made
from app.corpus.phrases.scoring.discounting import Discount, Frequencies
from app.corpus.phrases.scoring.domains import Domains
from app.corpus.phrases.scoring.extract_files import ExtractFiles
from app.corpus.phrases.scoring.gathering import PairBlock, Pairs, Weigher, gather
from app.corpus.phrases.scoring.reordering import SMOOTHING, ReorderingModel
from app.corpus.phrases.scoring.table_kernels import write_orientation_lines, write_table_lines
from app.corpus.writing import written_aside
from app.errors import InputError

__all__ = ["COMPACT_TABLE", "PHRASE_TABLE", "TableOptions", "build_tables"]

PHRASE_TABLE: Final = "phrase-table.gz"
COMPACT_TABLE: Final = "phrase-table.compact"


@dataclass(frozen=True)
class TableOptions:
    """`discount` of frequencies, models of `reordering` with what is added to their counts, bytes of memory to use, whether
    tables of pairs are written as `CompactTable`s too, and what gives weights to phrases of numbered sentence pairs, with the
    file that it read, if it read one; and `domains` that features tell of.
    """

    discount: Discount = "none"
    reordering: tuple[ReorderingModel, ...] = ()
    smoothing: float = SMOOTHING
    memory: int = DEFAULT_MEMORY
    compact: bool = False
    weigher: Weigher | None = None
    scores: Path | None = None
    domains: Domains | None = None

    @property
    def words(self) -> list[str]:
        """As words of the command, for manifests."""
        words = [] if self.discount == "none" else [f"--{self.discount}"]
        words += [word for model in self.reordering for word in ("--reordering", model.name)]
        words += ["--smoothing", f"{self.smoothing:g}"] if self.reordering else []
        words += ["--compact"] if self.compact else []
        words += [] if self.scores is None else ["--pair-scores", self.scores.name]
        words += [] if self.domains is None else [f"--domain-{self.domains.feature}", self.domains.path.name]
        return [*words, *(self.weigher.options if self.weigher else ())]


def build_tables(
    extracted: Path, folder: Path, options: TableOptions = TableOptions(), lexical: Path | None = None, replace: bool = False
) -> int:
    """Write `phrase-table.gz`, a table for each model of reordering and a manifest into a folder; the number of pairs of phrases.

    `extracted` holds what `extract_phrases` or Moses' extract wrote, sorted or not; `lexical` (the same folder where nothing is
    said) `lex.e2f` and `lex.f2e`, gzip or not. Lines of a phrase table have the source, the target, p(s|t) lex(s|t) p(t|s)
    lex(t|s), features of domains, the links, and the counts of the target, of the source and of both, with ``|||`` between them and
    twice at the end. A pair of words that a lexical table lacks has probability 1 there, as in Moses. Targets are told apart by
    64-bit hashes: of a thousand million, two would be taken for one with a probability of 3 %. InputError names file and line;
    nothing is written then.
    """
    files = ExtractFiles.of(extracted)
    for model in options.reordering:
        if model.unit not in files.units:
            units = ", ".join(files.units) or "no orientations"
            raise InputError("invalid-request", f"{extracted} has {units}, none of {model.unit}", ("--reordering",))
    _check_sentences(files.pairs, options)
    lexical_tables = [_lexical(lexical or extracted, name) for name in (LEXICAL_E2F, LEXICAL_F2E)]
    e2f, f2e = (LexicalTable.read(path) for path in lexical_tables)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", dir=folder.parent) as scratch, written_aside(folder, replace) as aside:
        pairs = gather(files, e2f, f2e, options.memory, Path(scratch), options.weigher, options.domains)
        if not len(pairs):
            raise InputError("empty-input", f"{files.pairs} holds no pairs of phrases", (str(files.pairs),))
        pairs.total_targets(options.memory)
        _write(pairs, files, aside, options)
        if options.compact:
            write_compact(aside / PHRASE_TABLE, aside / COMPACT_TABLE)
            for model in options.reordering:
                if model.given == "fe":
                    write_compact(aside / model.file, aside / f"{model.file.removesuffix('.gz')}.compact")
        command = ["assay", "phrase-table", extracted.name, *options.words]
        of_pairs = [options.scores, options.domains.path if options.domains else None]
        inputs = [path for path in (files.pairs, files.orientations, *lexical_tables, *of_pairs) if path is not None]
        write_made(aside, TABLE_MANIFEST, "probabilities of pairs of phrases", command, inputs, {"pairs": len(pairs)})
    return len(pairs)


def _check_sentences(pairs: Path, options: TableOptions) -> None:
    """InputError where scores or domains are not of as many sentence pairs as the manifest says, if there is one."""
    there = extracted_sentences(pairs) if options.weigher or options.domains else None
    domains = f"--domain-{options.domains.feature}" if options.domains else ""
    for of_pairs, what, option in ((options.weigher, "scores", "--pair-scores"), (options.domains, "domains", domains)):
        if of_pairs is not None and there is not None and there != of_pairs.sentences:
            detail = f"there are {what} of {of_pairs.sentences} sentence pairs, but phrases were extracted from {there}"
            raise InputError("unequal-lengths", detail, (option,))


def _lexical(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InputError("invalid-request", f"{folder} holds no {name}", ("--lexical",))


def _write(pairs: Pairs, files: ExtractFiles, folder: Path, options: TableOptions) -> None:
    frequencies = Frequencies(options.discount, pairs.counts, len(pairs))
    with ExitStack() as stack:
        table = stack.enter_context(written_gzip(folder / PHRASE_TABLE, COMPRESSION))
        reordering = [
            _Reordering(model, files, stack.enter_context(written_gzip(folder / model.file, COMPRESSION)), options.smoothing)
            for model in options.reordering
        ]
        for block in pairs.read():
            table.write(_table_lines(block, frequencies, options.domains).data)
            for orientations in reordering:
                orientations.write(block)
        for orientations in reordering:
            orientations.end()


def _table_lines(block: PairBlock, frequencies: Frequencies, domains: Domains | None) -> UInt8s:
    joint = block.numbers[:, 0]
    backward = frequencies(joint, block.target[:, 0], block.target[:, 1], block.source[:, 1])
    forward = frequencies(joint, block.source[:, 0], block.source[:, 1], block.target[:, 1])
    scores = np.stack([backward, block.numbers[:, 1], forward, block.numbers[:, 2]], axis=1)
    if domains is not None:
        scores = np.concatenate([scores, domains.scores(block.domains, joint)], axis=1)
    counts = np.stack([block.target[:, 0], block.source[:, 0], joint], axis=1)
    lines: UInt8s = write_table_lines(block.text, block.offsets, scores, counts)
    return lines


class _Reordering:
    """One table of orientations as it is written."""

    def __init__(self, model: ReorderingModel, files: ExtractFiles, file: GzipFile, smoothing: float) -> None:
        self.model, self.files, self.file, self.smoothing = model, files, file, smoothing
        self.place = files.units.index(model.unit)
        self.waiting: tuple[bytes, Float32s] | None = None

    def write(self, block: PairBlock) -> None:
        events = block.events[:, self.place]
        if self.model.events == "mslr" and events[..., 4].any():
            detail = f"{self.files.orientations} does not tell dleft and dright apart, which {self.model.name} needs"
            raise InputError("invalid-request", detail, ("--reordering",))
        if self.model.given == "fe":
            scores = self.model.probabilities(events, self.smoothing)
            self.file.write(write_orientation_lines(block.text, block.offsets, 3, 2, scores).data)
            return
        for first, last in _groups(block.new):
            source = block.text[block.offsets[3 * first] : block.offsets[3 * first + 1]].tobytes()
            total = events[first:last].sum(axis=0, keepdims=True)
            if self.waiting is not None and self.waiting[0] == source:
                total = total + self.waiting[1]
            else:
                self.end()
            self.waiting = (source, total)

    def end(self) -> None:
        """Write the source that is waited for."""
        if self.waiting is not None:
            source, total = self.waiting
            text = np.frombuffer(source, np.uint8)
            scores = self.model.probabilities(total, self.smoothing)
            self.file.write(write_orientation_lines(text, np.array([0, len(text)]), 1, 1, scores).data)
            self.waiting = None


def _groups(new: Bools) -> Sequence[tuple[int, int]]:
    """Begin and end of runs of rows of one source."""
    begins = np.union1d([0], np.flatnonzero(new))
    return list(zip(begins.tolist(), [*begins[1:].tolist(), len(new)], strict=True))
