"""`assay smt extract`, `phrase-table`, `prune-table` and `compact-table`: phrases of word-aligned text, and their tables."""

from dataclasses import fields
from pathlib import Path

from app.errors import InputError
from app.planning.numerals import decimal_of
from app.shell.declaration.parameters import refuse
from app.shell.output import counted, say
from app.smt.commands.options.corpus.phrase_tables import (
    CombineTablesOptions,
    CompactTableOptions,
    ConsolidateOptions,
    ExtractOptions,
    PhraseTableOptions,
    PruneTableOptions,
)
from app.smt.corpus.phrases.compact import write_compact
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.joining.combining import METHODS, Combination, combine_tables
from app.smt.corpus.phrases.joining.consolidation import Consolidation, consolidate
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.pruning import SIGNS, Threshold, prune_table
from app.smt.corpus.phrases.scoring.additions.domain_scores import DOMAIN_FEATURES, domain_scores, sparse_domain_scores
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.scores import (
    Addition,
    count_bins,
    low_count,
    parse_bins,
    phrase_count,
    singleton,
    sparse_count_bins,
    unaligned_function_words,
    unaligned_penalty,
)
from app.smt.corpus.phrases.scoring.discounting import Discount
from app.smt.corpus.phrases.scoring.phrase_lines import Thresholds
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables
from app.smt.corpus.weighting.columns import by_name
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.sentence_weights import read_table

__all__ = ["combine", "compact_table", "consolidate_halves", "extract", "phrase_table", "prune"]

MEGABYTE = 1024**2


def extract(options: ExtractOptions) -> None:
    """Extract the pairs of phrases that agree with links of words, as Moses' extract does."""
    models = [OrientationModel.parse(name) for name in options.orientation or ()]
    extraction = extract_phrases(
        options.source,
        options.target,
        options.links,
        options.out,
        options.max_length,
        models,
        options.weights,
        options.replace,
        options.numbered,
        options.unweighted_lexical,
    )
    say(
        f"wrote {counted(extraction.pairs, 'pair')} of phrases of {counted(extraction.sentences, 'sentence pair')} to {options.out}"
    )


def phrase_table(arguments: PhraseTableOptions) -> None:
    """Build a phrase table and tables of orientations from extracted phrase pairs, like Moses."""
    if arguments.good_turing and arguments.kneser_ney:
        raise InputError("invalid-request", "a table has one discount; omit --good-turing or --kneser-ney", ("--kneser-ney",))
    discount: Discount = "good-turing" if arguments.good_turing else "kneser-ney" if arguments.kneser_ney else "none"
    models = tuple(ReorderingModel.parse(name) for name in arguments.reordering or ())
    if arguments.extracted.is_file():
        detail = f"{arguments.extracted} is a file; name its folder, {arguments.extracted.parent}"
        raise InputError("invalid-request", detail, ("EXTRACTED",))
    if arguments.only_reordering:
        _check_only_reordering(arguments)
    weigher = None
    if arguments.pair_scores is not None:
        scores = read_table(arguments.pair_scores)
        weigher = PhraseScores(scores, by_name(arguments.power or (), tuple(scores.scores), "--power"))
    elif arguments.power:
        raise InputError("invalid-request", "powers need scores; name them by --pair-scores", ("--power",))
    options = TableOptions(
        discount,
        models,
        arguments.smoothing,
        arguments.memory * MEGABYTE,
        arguments.compact,
        weigher,
        arguments.pair_scores,
        (
            *((unaligned_penalty(),) if arguments.unaligned else ()),
            *(
                (unaligned_function_words(FunctionWords.read(*arguments.unaligned_function)),)
                if arguments.unaligned_function
                else ()
            ),
            *((singleton(),) if arguments.singleton else ()),
            *_domains(arguments.domain_indicator, arguments.domain_ratio, arguments.domain_subset),
            *_domains(
                arguments.sparse_domain_indicator, arguments.sparse_domain_ratio, arguments.sparse_domain_subset, sparse=True
            ),
            *((phrase_count(),) if arguments.phrases else ()),
            *((low_count(),) if arguments.low else ()),
            *_bins(arguments.bins, arguments.sparse_bins),
        ),
        Thresholds.parse(arguments.min_count, arguments.min_score),
        arguments.only_direct,
        arguments.halves,
        arguments.only_reordering,
    )
    counts = build_tables(arguments.extracted, arguments.out, options, arguments.lexical, arguments.replace)
    if arguments.only_reordering:
        say(f"wrote orientations of {counted(counts.pairs, 'pair')} of phrases to {arguments.out}")
        return
    say(f"wrote {counted(counts.pairs, 'pair')} of phrases, {counted(counts.scores, 'score')} each, to {arguments.out}")


def _check_only_reordering(arguments: PhraseTableOptions) -> None:
    """InputError without a model, or for an option of the phrase table."""
    if not arguments.reordering:
        raise InputError("invalid-request", "name the models by --reordering", ("--only-reordering",))
    allowed_names = {"extracted", "out", "reordering", "smoothing", "memory", "compact", "replace", "only_reordering"}
    useless_options = [
        field for field in fields(arguments) if field.name not in allowed_names and getattr(arguments, field.name) != field.default
    ]
    if useless_options:
        detail = f"--only-reordering writes no phrase table, so {useless_options[0].name.replace('_', '-')} has no use"
        raise InputError("invalid-request", detail, ("--only-reordering",))


def consolidate_halves(arguments: ConsolidateOptions) -> None:
    """Join the half tables of both directions to a phrase table, as Moses' consolidate does."""
    if arguments.good_turing and arguments.kneser_ney:
        raise InputError("invalid-request", "a table has one discount; omit --good-turing or --kneser-ney", ("--kneser-ney",))
    if arguments.bins and arguments.sparse_bins:
        raise InputError("invalid-request", "a table has bins of counts as scores or as sparse scores", ("--sparse-count-bins",))
    options = Consolidation(
        "good-turing" if arguments.good_turing else "kneser-ney" if arguments.kneser_ney else "none",
        arguments.good_turing or arguments.kneser_ney,
        arguments.phrases,
        arguments.low,
        parse_bins(arguments.bins, "--count-bins") if arguments.bins else (),
        parse_bins(arguments.sparse_bins, "--sparse-count-bins") if arguments.sparse_bins else (),
        arguments.only_direct,
        Thresholds.parse(0.0, arguments.min_score),
    )
    pairs, scores = consolidate(arguments.direct, arguments.inverse, arguments.out, options)
    say(f"wrote {counted(pairs, 'pair')} of phrases, {counted(scores, 'score')} each, to {arguments.out}")


def combine(arguments: CombineTablesOptions) -> None:
    """Combine tables of several texts: interpolate their scores, or fill the first one up with pairs of the rest."""
    method = next((name for name in METHODS if name == arguments.method), None)
    if method is None:
        raise InputError("invalid-request", f"methods are {', '.join(METHODS)}", ("--method",))
    if len(arguments.tables) < 2:
        raise InputError("invalid-request", "name two or more tables", ("TABLES",))
    flags = {
        "--weights": arguments.weights is not None and method != "interpolate",
        "--constant": arguments.constant is not None and method != "interpolate",
        "--longest-new": arguments.longest_new is not None and method == "interpolate",
    }
    refuse(flags, f"--method {method} has no use for it")
    weights = [[_weight(word) for word in row.split(",")] for row in (arguments.weights or "").split(";") if row]
    options = Combination(method, weights, arguments.missing, arguments.constant, arguments.longest_new)
    pairs, scores = combine_tables(arguments.tables, arguments.out, options)
    say(f"wrote {counted(pairs, 'pair')} of phrases, {counted(scores, 'score')} each, to {arguments.out}")


def _weight(text: str) -> float:
    number = decimal_of(text.strip())
    if number is None or number < 0:
        raise InputError("invalid-request", "weights are numbers from 0 with commas between them, as 0.8,0.2", ("--weights",))
    return number


def _domains(*files: Path | None, sparse: bool = False) -> list[Addition]:
    """Scores of domains, of one kind; `files` are in the order of `DOMAIN_FEATURES`."""
    kinds_of_files = [(file, feature) for file, feature in zip(files, DOMAIN_FEATURES, strict=True) if file is not None]
    if len(kinds_of_files) > 1:
        kinds, option = ("sparse scores", "--sparse-domain") if sparse else ("features", "--domain")
        raise InputError("invalid-request", f"a table has {kinds} of domains of one kind", (f"{option}-{kinds_of_files[1][1]}",))
    return [(sparse_domain_scores if sparse else domain_scores)(Domains.read(file), feature) for file, feature in kinds_of_files]


def _bins(dense: str | None, sparse: str | None) -> list[Addition]:
    if dense is not None and sparse is not None:
        raise InputError("invalid-request", "a table has bins of counts as scores or as sparse scores", ("--sparse-count-bins",))
    additions = [] if dense is None else [count_bins(parse_bins(dense, "--count-bins"))]
    return additions + ([] if sparse is None else [sparse_count_bins(parse_bins(sparse, "--sparse-count-bins"))])


def prune(options: PruneTableOptions) -> None:
    """Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test."""
    pruning = prune_table(options.table, options.source, options.target, options.out, _threshold(options.threshold))
    say(
        f"wrote {pruning.lines} of {counted(pruning.pairs, 'phrase pair')}, with -ln p of at least {pruning.threshold:.4f}; "
        f"{pruning.singletons} of all occur in one sentence pair alone, and so do their phrases"
    )


def _threshold(text: str) -> float | Threshold:
    if text in SIGNS:
        return text  # type: ignore[return-value]
    number = decimal_of(text)
    if number is None or number < 0:
        raise InputError("invalid-request", f"this is {', '.join(SIGNS)} or a number from 0", ("--threshold",))
    return number


def compact_table(options: CompactTableOptions) -> None:
    """Write a table of Moses' text format as one that assay smt decode maps into memory."""
    say(f"wrote {counted(write_compact(options.table, options.out), 'row')} to {options.out}")
