"""`assay corpus select`: the best part of parallel text."""

from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.building.text_tables import check_table
from app.building.writing import full_disk_named
from app.errors import InputError
from app.resources.function_words import function_words_called
from app.shell.commands.large_tables.runs import writes_files
from app.shell.declaration.parameters import refuse
from app.shell.here import settings_here
from app.shell.output import Format, counted, print_rows, say
from app.smt.commands.corpus.predicted_scores import write_predictions
from app.smt.commands.corpus.selected_tables import select_from_tables
from app.smt.commands.options.corpus.selection import CorpusSelectOptions
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.exemptions import Exemptions
from app.smt.corpus.selection.greedy import Decision, TextFilters
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import METHODS, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scoring import PoolScores
from app.smt.corpus.selection.selecting import SelectionFiles, select_data
from app.smt.corpus.selection.verdicts import Verdicts, read_verdicts, thresholds_of

__all__ = ["select_data_command"]

# The engine has predictors; selectors may not import it.
QUALITY = "quality"
REASONS = {
    Decision.UNFIT: "could not be chosen: no words on a side, too many, a low score, or left by the method",
    Decision.SIMILAR: "passed over: like one that was chosen",
    Decision.COPY: "passed over: both sides alike",
}


def select_data_command(options: CorpusSelectOptions) -> None:
    """Choose the best pairs of parallel text by a method, up to a number of pairs or words."""
    if writes_files(options):
        select_from_tables(options)
        return
    outputs = SelectionFiles(
        options.out_source,
        options.out_target,
        options.out_links,
        options.scores,
        options.decisions,
        options.features,
        options.out_table,
        options.out_domains,
    )
    budget = Budget(options.pairs, options.words, options.share, options.at_least, options.strict)
    if options.method.partition("|")[0] not in (*METHODS, QUALITY):
        raise InputError("invalid-request", f"methods are {', '.join((*METHODS, QUALITY))}", ("--method",))
    _check(outputs, budget, options)
    exemptions = _exemptions(options)
    materials = Materials(**{field.name: getattr(options, field.name) for field in fields(Materials)})
    if options.function_words is not None:
        words = function_words_called(settings_here().resources_dir, options.function_words)
        materials = replace(materials, function_words=words)
    defaults = TextFilters() if options.method == QUALITY else method_called(options.method).filters
    filters = TextFilters(
        defaults.diversity if options.diversity is None else options.diversity,
        defaults.copy if options.untranslated is None else options.untranslated,
        options.window,
    )
    pool = Pool(Path(options.source), Path(options.target), options.links)
    # A fault of this file is told before all pairs are scored.
    verdicts = None if options.verdicts is None else read_verdicts(options.verdicts, len(pool))
    if options.method != QUALITY:
        refuse({"--pair": options.pair, "--model": options.model, "--label": options.label}, f"this is of --method {QUALITY}")
        selection = select_data(pool, options.method, budget, outputs, materials, filters, options.best_first, exemptions)
    else:
        if options.pair is None:
            raise InputError("invalid-request", f"--method {QUALITY} needs the language pair, as en-de", ("--pair",))
        refuse({"--given": options.score_file}, f"--method {QUALITY} has no use for this file")
        with TemporaryDirectory() as folder, full_disk_named(Path(folder)):
            predictions = Path(folder) / "predictions"
            write_predictions(pool, predictions, options.pair, options.model, options.label)
            materials = replace(materials, score_file=predictions)
            selection = select_data(pool, "given", budget, outputs, materials, filters, options.best_first, exemptions)
    if verdicts is not None:
        _print_thresholds(selection.scores, verdicts)
        return
    counts = selection.decisions
    word_count = counted(selection.words, "word")
    say(f"chose {counts[Decision.SELECTION]} of {counted(len(selection.scores), 'pair')}, {word_count} of the source")
    for decision, reason in REASONS.items():
        if counts[decision]:
            say(f"{counted(counts[decision], 'pair')} {reason}")
    if (
        options.words is not None
        and selection.words < options.words
        and options.pairs is None
        and options.share is None
        and not options.strict
    ):
        say(f"the pool ended below the budget of {options.words} words")


def _print_thresholds(scores: PoolScores, verdicts: Verdicts) -> None:
    """Print a table of thresholds by people's verdicts; InputError if rules exclude too many good pairs for any."""
    rows = [
        {
            "--at-least": f"{row.score:.5g}",
            "good pairs to keep": f"{row.goal:.0%}",
            "kept": f"{row.recall:.1%}",
            "good among kept": f"{row.precision:.1%}",
            "kept of all": f"{row.share:.1%}",
        }
        for row in thresholds_of(scores.scores, verdicts)
    ]
    if not rows:
        detail = "rules leave out more than half of the good pairs, so that no threshold keeps half of them"
        raise InputError("invalid-request", detail, ("--verdicts",))
    print_rows(rows, Format.TEXT)


def _exemptions(options: CorpusSelectOptions) -> Exemptions:
    """Pairs that are always selected; InputError for an option without the option that it needs."""
    if options.domains is None:
        refuse({"--judged-domain": options.judged_domain, "--out-domains": options.out_domains}, "name a domain file by --domains")
    if options.best_first:
        refuse({"--out-domains": options.out_domains}, "domains are parts of a text in its order; leave out --best-first")
    return Exemptions.of(options.domains, options.judged_domain or [], options.mark)


def _check(outputs: SelectionFiles, budget: Budget, options: CorpusSelectOptions) -> None:
    """InputError for an output or a budget without an option that it needs."""
    if options.verdicts is not None and (budget.bounded or not outputs.files.keys() <= {"scores"}):
        raise InputError("invalid-request", "verdicts choose no pairs: leave out sizes and outputs but --scores", ("--verdicts",))
    if not outputs.files and options.verdicts is None:
        raise InputError("invalid-request", "name an output: --out-source, --out-target, --out-table, --scores, or --verdicts")
    if outputs.links is not None and options.links is None:
        raise InputError("invalid-request", "links of chosen pairs need --links", ("--out-links",))
    if not outputs.files.keys() <= {"scores", "features"} and not budget.bounded:
        raise InputError("invalid-request", "set a budget: --pairs, --words, --share or --at-least")
    if outputs.table is not None:
        check_table(outputs.table, "--out-table")
    if budget.strict and budget.words is None:
        raise InputError("invalid-request", "this is about --words", ("--strict",))
