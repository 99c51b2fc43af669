"""Phrase tables and tables of orientations, equal to those of score, consolidate and lexical-reordering-score of Moses."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.building.gzip_files import written_gzip
from app.building.writing import folder_aside
from app.errors import InputError
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.phrases.compact import write_compact
from app.smt.corpus.phrases.extraction import COMPRESSION
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E, LexicalProbabilities
from app.smt.corpus.phrases.manifests import TABLE_MANIFEST, extracted_sentences, listed_files, write_folder_manifest
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.scores import Addition
from app.smt.corpus.phrases.scoring.discounting import HIGHEST_COUNT, Discount, Frequencies
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.smt.corpus.phrases.scoring.gathering import GatheredPairs, Weigher, gather
from app.smt.corpus.phrases.scoring.orientation_file import OrientationFile
from app.smt.corpus.phrases.scoring.phrase_lines import HALVES, Half, PhraseLines, Thresholds
from app.smt.corpus.phrases.scoring.reordering import SMOOTHING, ReorderingModel

__all__ = ["COMPACT_TABLE", "PHRASE_TABLE", "TableCounts", "TableOptions", "build_tables"]

PHRASE_TABLE: Final = "phrase-table.gz"
COMPACT_TABLE: Final = "phrase-table.compact"
NO_THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True)
class TableOptions:
    """Options of phrase tables.

    - `discount` of frequencies
    - models of `reordering` and the `smoothing` of their counts
    - bytes of `memory`
    - `compact`: write a `CompactTable` too
    - `weigher` of numbered sentence pairs, and the file of its `scores`
    - `additions` to the four scores, in the order of columns; `only_direct` keeps two of the four
    - `thresholds` of pairs
    - `halves`: write a table of each direction too
    - `only_reordering`: write tables of orientations alone, from the file of orientations alone
    """

    discount: Discount = "none"
    reordering: tuple[ReorderingModel, ...] = ()
    smoothing: float = SMOOTHING
    memory: int = DEFAULT_MEMORY
    compact: bool = False
    weigher: Weigher | None = None
    scores: Path | None = None
    additions: tuple[Addition, ...] = ()
    thresholds: Thresholds = NO_THRESHOLDS
    only_direct: bool = False
    halves: bool = False
    only_reordering: bool = False

    @property
    def words(self) -> list[str]:
        """Options of the command line, for manifests."""
        words = [] if self.discount == "none" else [f"--{self.discount}"]
        words += [word for model in self.reordering for word in ("--reordering", model.name)]
        words += ["--smoothing", np.format_float_positional(self.smoothing, trim="-")] if self.reordering else []
        words += ["--compact"] if self.compact else []
        words += [] if self.scores is None else ["--pair-scores", self.scores.name]
        words += [word for addition in self.additions for word in addition.words]
        words += self.thresholds.words
        words += ["--only-direct"] if self.only_direct else []
        words += ["--halves"] if self.halves else []
        words += ["--only-reordering"] if self.only_reordering else []
        return [*words, *(self.weigher.options if self.weigher else ())]

    @property
    def domains(self) -> Domains | None:
        """Domains of the additions. InputError for two files, since pairs are counted once."""
        domains = {addition.domains.path: addition.domains for addition in self.additions if addition.domains}
        if len(domains) > 1:
            detail = f"scores of domains need one file, not {' and '.join(map(str, domains))}"
            raise InputError("invalid-request", detail, tuple(map(str, domains)))
        return next(iter(domains.values()), None)

    @property
    def function_words(self) -> FunctionWords | None:
        """Function words of the additions; empty lists if additions need only counts of unlinked words."""
        lists = [addition.function_words for addition in self.additions if addition.function_words]
        return max(lists, key=lambda words: len(words.files), default=None)


@dataclass(frozen=True)
class TableCounts:
    """Numbers of phrase pairs and of scores of a line (`num-features` of a configuration)."""

    pairs: int
    scores: int


def build_tables(
    extract_folder: Path, folder: Path, options: TableOptions = TableOptions(), lexical: Path | None = None, replace: bool = False
) -> TableCounts:
    """Write `phrase-table.gz`, a table for each model of reordering, and a manifest into a folder.

    `extract_folder` is an output of `extract_phrases` or of extract of Moses, sorted or not. `lexical` is a folder with `lex.e2f`
    and `lex.f2e`, gzipped or plain; by default `extract_folder`. Columns of a line, with ``|||`` after each: source; target; p(s|t)
    lex(s|t) p(t|s) lex(t|s) and additions; links; counts of target, source and pair; sparse additions.

    A pair of words without a lexical entry has probability 1, as in Moses. Targets are compared by 64-bit hashes: among 10^9
    targets, two collide with a probability of 3 %. Tables of orientations alone need no lexical tables and no links.
    `replace` deletes
    the files of the earlier manifest. InputError names file and line; nothing is written then.
    """
    files = ExtractFiles.orientations_alone(extract_folder) if options.only_reordering else ExtractFiles.of(extract_folder)
    for model in options.reordering:
        if model.unit not in files.units:
            units = ", ".join(files.units) or "no orientations"
            raise InputError(
                "invalid-request", f"{extract_folder} has {units}, none of {model.unit}; extract them", ("--reordering",)
            )
    sparse = [addition.words[0] for addition in options.additions if addition.sparse]
    if options.compact and sparse:
        raise InputError("invalid-request", f"a compact table cannot hold sparse scores, as of {sparse[0]}", ("--compact",))
    _check_sentences(files.pairs, options)
    names = () if options.only_reordering else (LEXICAL_E2F, LEXICAL_F2E)
    lexical_tables = [_lexical(lexical or extract_folder, name) for name in names]
    e2f, f2e = [LexicalProbabilities.read(path) for path in lexical_tables] or [LexicalProbabilities.empty()] * 2
    # A stale compact table must not stand beside a new phrase table.
    stale_files = listed_files(folder, TABLE_MANIFEST) if replace else []
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", dir=folder.parent) as scratch, folder_aside(folder, replace, stale_files) as temporary:
        needs = (options.weigher, options.domains, options.function_words)
        pairs = gather(files, e2f, f2e, options.memory, Path(scratch), *needs)
        if not len(pairs):
            raise InputError("empty-input", f"{files.pairs} holds no phrase pairs", (str(files.pairs),))
        pairs.total_targets(options.memory)
        counts = _write(pairs, files, temporary, options)
        if not counts.pairs:
            detail = f"{' '.join(options.thresholds.words)} leaves no phrase pair of {files.pairs}; lower the thresholds"
            raise InputError("empty-input", detail, (str(files.pairs),))
        if options.compact:
            if not options.only_reordering:
                write_compact(temporary / PHRASE_TABLE, temporary / COMPACT_TABLE)
            for model in options.reordering:
                if model.condition == "fe":
                    write_compact(temporary / model.file, temporary / f"{model.file.removesuffix('.gz')}.compact")
        command = ["assay", "smt", "phrase-table", extract_folder.name, *options.words]
        score_files = [options.scores, *(path for addition in options.additions for path in addition.files)]
        inputs = [path for path in dict.fromkeys((files.pairs, files.orientations, *lexical_tables, *score_files)) if path]
        write_folder_manifest(
            temporary, TABLE_MANIFEST, "probabilities of pairs of phrases", command, inputs, {"pairs": counts.pairs}
        )
    return counts


def _check_sentences(pairs: Path, options: TableOptions) -> None:
    """InputError unless scores and domains have as many sentence pairs as the manifest, if one exists."""
    domains = options.domains
    count = extracted_sentences(pairs) if options.weigher or domains else None
    domain_place = str(domains.path) if domains else ""
    for annotation, kind, place in ((options.weigher, "scores", "--pair-scores"), (domains, "domains", domain_place)):
        if annotation is not None and count is not None and count != annotation.sentences:
            detail = f"there are {kind} of {annotation.sentences} sentence pairs, but phrases were extracted from {count}"
            raise InputError("unequal-lengths", detail, (place,))


def _lexical(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InputError("invalid-request", f"{folder} holds no {name}", ("--lexical",))


def _write(pairs: GatheredPairs, files: ExtractFiles, folder: Path, options: TableOptions) -> TableCounts:
    with ExitStack() as stack:
        halves = {half: stack.enter_context(written_gzip(folder / _half(half), COMPRESSION)) for half in HALVES if options.halves}
        table = None
        if not options.only_reordering:
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
            if table is not None:
                table.write(block)
            for orientations in reordering:
                orientations.write(block)
        for orientations in reordering:
            orientations.end()
    _write_counts(pairs, folder, [half for half in halves if options.discount == "kneser-ney" or half == "f2e"], options.discount)
    return TableCounts(len(pairs), 0) if table is None else TableCounts(table.line_count, table.width)


def _half(half: Half) -> str:
    return f"phrase-table.half.{half}.gz"


def _write_counts(pairs: GatheredPairs, folder: Path, halves: Sequence[Half], discount: Discount) -> None:
    """Write counts for a later discount beside halves: number of pairs, then numbers of pairs extracted once, twice, ..."""
    for half in halves if discount != "none" else ():
        numbers = [len(pairs), *pairs.counts[1 : HIGHEST_COUNT + 1].tolist()]
        (folder / f"{_half(half)}.coc").write_text("".join(f"{number}\n" for number in numbers))
