"""Phrase tables and tables of orientations, as Moses' score, consolidate and lexical-reordering-score make them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.building.gzip_files import written_gzip
from app.building.writing import written_aside
from app.errors import InputError
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.phrases.compact import write_compact
from app.smt.corpus.phrases.extraction import COMPRESSION
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E, LexicalTable
from app.smt.corpus.phrases.manifests import TABLE_MANIFEST, extracted_sentences, files_made, write_made
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.scores import Addition
from app.smt.corpus.phrases.scoring.discounting import HIGHEST_COUNT, Discount, Frequencies
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.smt.corpus.phrases.scoring.gathering import Pairs, Weigher, gather
from app.smt.corpus.phrases.scoring.orientation_file import OrientationFile
from app.smt.corpus.phrases.scoring.phrase_lines import HALVES, Half, PhraseLines, Thresholds
from app.smt.corpus.phrases.scoring.reordering import SMOOTHING, ReorderingModel

__all__ = ["COMPACT_TABLE", "PHRASE_TABLE", "TableOptions", "TablesMade", "build_tables"]

PHRASE_TABLE: Final = "phrase-table.gz"
COMPACT_TABLE: Final = "phrase-table.compact"
ALL: Final = Thresholds()


@dataclass(frozen=True)
class TableOptions:
    """`discount` of frequencies, models of `reordering` with what is added to their counts, bytes of memory to use, whether
    tables of pairs are written as `CompactTable`s too, and what gives weights to phrases of numbered sentence pairs, with the
    file that it read, if it read one; `additions` to the four scores in the order of their columns, of which `only_direct`
    leaves two; pairs that are left out; and whether tables of either direction, `halves`, are written as well.
    """

    discount: Discount = "none"
    reordering: tuple[ReorderingModel, ...] = ()
    smoothing: float = SMOOTHING
    memory: int = DEFAULT_MEMORY
    compact: bool = False
    weigher: Weigher | None = None
    scores: Path | None = None
    additions: tuple[Addition, ...] = ()
    thresholds: Thresholds = ALL
    only_direct: bool = False
    halves: bool = False

    @property
    def words(self) -> list[str]:
        """As words of the command, for manifests."""
        words = [] if self.discount == "none" else [f"--{self.discount}"]
        words += [word for model in self.reordering for word in ("--reordering", model.name)]
        words += ["--smoothing", np.format_float_positional(self.smoothing, trim="-")] if self.reordering else []
        words += ["--compact"] if self.compact else []
        words += [] if self.scores is None else ["--pair-scores", self.scores.name]
        words += [word for addition in self.additions for word in addition.words]
        words += self.thresholds.words
        words += ["--only-direct"] if self.only_direct else []
        words += ["--halves"] if self.halves else []
        return [*words, *(self.weigher.options if self.weigher else ())]

    @property
    def domains(self) -> Domains | None:
        """The domains that additions tell of. InputError where they are of two files: a pair is counted by one."""
        there = {addition.domains.path: addition.domains for addition in self.additions if addition.domains}
        if len(there) > 1:
            detail = f"scores of domains are of one file, not of {' and '.join(map(str, there))}"
            raise InputError("invalid-request", detail, tuple(map(str, there)))
        return next(iter(there.values()), None)

    @property
    def function_words(self) -> FunctionWords | None:
        """The function words that additions tell of; none of either language where they ask for words without links alone."""
        there = [addition.function_words for addition in self.additions if addition.function_words]
        return max(there, key=lambda words: len(words.files), default=None)


@dataclass(frozen=True)
class TablesMade:
    """How many pairs of phrases a table has, and how many scores a line, which `num-features` of a configuration says."""

    pairs: int
    scores: int


def build_tables(
    extracted: Path, folder: Path, options: TableOptions = TableOptions(), lexical: Path | None = None, replace: bool = False
) -> TablesMade:
    """Write `phrase-table.gz`, a table for each model of reordering and a manifest into a folder.

    `extracted` holds what `extract_phrases` or Moses' extract wrote, sorted or not; `lexical` (the same folder where nothing is
    said) `lex.e2f` and `lex.f2e`, gzip or not. Lines of a phrase table have the source, the target, p(s|t) lex(s|t) p(t|s)
    lex(t|s) and additions, the links, the counts of the target, of the source and of both, and sparse additions, with ``|||``
    between them and at the end. A pair of words that a lexical table lacks has probability 1 there, as in Moses. Targets are told
    apart by 64-bit hashes: of a thousand million, two would be taken for one with a probability of 3 %. With `replace`, what the
    manifest of earlier tables lists goes when these come into their place. InputError names file and line; nothing is written then.
    """
    files = ExtractFiles.of(extracted)
    for model in options.reordering:
        if model.unit not in files.units:
            units = ", ".join(files.units) or "no orientations"
            raise InputError("invalid-request", f"{extracted} has {units}, none of {model.unit}", ("--reordering",))
    sparse = [addition.words[0] for addition in options.additions if addition.sparse]
    if options.compact and sparse:
        raise InputError("invalid-request", f"a compact table has no room for sparse scores, as of {sparse[0]}", ("--compact",))
    _check_sentences(files.pairs, options)
    lexical_tables = [_lexical(lexical or extracted, name) for name in (LEXICAL_E2F, LEXICAL_F2E)]
    e2f, f2e = (LexicalTable.read(path) for path in lexical_tables)
    # A compact table of earlier pairs would be decoded with, as if it were of these.
    outdated = files_made(folder, TABLE_MANIFEST) if replace else []
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", dir=folder.parent) as scratch, written_aside(folder, replace, outdated) as aside:
        needs = (options.weigher, options.domains, options.function_words)
        pairs = gather(files, e2f, f2e, options.memory, Path(scratch), *needs)
        if not len(pairs):
            raise InputError("empty-input", f"{files.pairs} holds no pairs of phrases", (str(files.pairs),))
        pairs.total_targets(options.memory)
        made = _write(pairs, files, aside, options)
        if not made.pairs:
            detail = f"no pair of phrases of {files.pairs} is left by {' '.join(options.thresholds.words)}"
            raise InputError("empty-input", detail, (str(files.pairs),))
        if options.compact:
            write_compact(aside / PHRASE_TABLE, aside / COMPACT_TABLE)
            for model in options.reordering:
                if model.given == "fe":
                    write_compact(aside / model.file, aside / f"{model.file.removesuffix('.gz')}.compact")
        command = ["assay", "phrase-table", extracted.name, *options.words]
        of_pairs = [options.scores, *(path for addition in options.additions for path in addition.files)]
        inputs = [path for path in (files.pairs, files.orientations, *lexical_tables, *of_pairs) if path is not None]
        write_made(aside, TABLE_MANIFEST, "probabilities of pairs of phrases", command, inputs, {"pairs": made.pairs})
    return made


def _check_sentences(pairs: Path, options: TableOptions) -> None:
    """InputError where scores or domains are not of as many sentence pairs as the manifest says, if there is one."""
    domains = options.domains
    there = extracted_sentences(pairs) if options.weigher or domains else None
    of_domains = str(domains.path) if domains else ""
    for of_pairs, what, place in ((options.weigher, "scores", "--pair-scores"), (domains, "domains", of_domains)):
        if of_pairs is not None and there is not None and there != of_pairs.sentences:
            detail = f"there are {what} of {of_pairs.sentences} sentence pairs, but phrases were extracted from {there}"
            raise InputError("unequal-lengths", detail, (place,))


def _lexical(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InputError("invalid-request", f"{folder} holds no {name}", ("--lexical",))


def _write(pairs: Pairs, files: ExtractFiles, folder: Path, options: TableOptions) -> TablesMade:
    with ExitStack() as stack:
        halves = {half: stack.enter_context(written_gzip(folder / _half(half), COMPRESSION)) for half in HALVES if options.halves}
        table = PhraseLines(
            Frequencies(options.discount, pairs.counts, len(pairs)),
            options.additions,
            options.thresholds,
            options.only_direct,
            stack.enter_context(written_gzip(folder / PHRASE_TABLE, COMPRESSION)),
            halves,
        )
        reordering = [
            OrientationFile(model, files, stack.enter_context(written_gzip(folder / model.file, COMPRESSION)), options.smoothing)
            for model in options.reordering
        ]
        for block in pairs.read():
            table.write(block)
            for orientations in reordering:
                orientations.write(block)
        for orientations in reordering:
            orientations.end()
    _write_counts(pairs, folder, [half for half in halves if options.discount == "kneser-ney" or half == "f2e"], options.discount)
    return TablesMade(table.written, table.width)


def _half(half: Half) -> str:
    return f"phrase-table.half.{half}.gz"


def _write_counts(pairs: Pairs, folder: Path, halves: Sequence[Half], discount: Discount) -> None:
    """Beside halves that are to be discounted: how many pairs there are, and how many were extracted once, twice, ..."""
    for half in halves if discount != "none" else ():
        numbers = [len(pairs), *pairs.counts[1 : HIGHEST_COUNT + 1].tolist()]
        (folder / f"{_half(half)}.coc").write_text("".join(f"{number}\n" for number in numbers))
