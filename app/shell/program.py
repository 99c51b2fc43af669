"""The command line as a whole: commands that are imported when they are called, and how errors leave it."""

import os
import select
import signal
import sys
from collections.abc import Iterator, Mapping
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from app import __version__
from app.errors import InputError
from app.shell.output import say

__all__ = ["program", "run"]

Command = TyperCommand | TyperGroup
# Nothing is wrong with what was asked: a server will do it later, or once there is room.
LIMITED: Final = frozenset({"quota-exceeded", "too-many-jobs", "storage-quota-exceeded", "queue-full"})
# As shells have it of commands that a signal ended, which is how others end that print to nobody.
READER_GONE: Final = 128 + signal.SIGPIPE
TERMINATED: Final = 128 + signal.SIGTERM
# The module of each command, and its line in the list of commands, which is the first of its own help.
COMMANDS: Final = {
    "serve": ("server.serving", "Start the server and its workers."),
    "models": ("server.serving", "List the predictors, or show the card of one."),
    "quality": ("quality", "Predict the quality of every segment, without a reference."),
    "words": ("quality", "Say of every word and every gap whether it is OK or BAD."),
    "rank": ("quality", "Rank several systems' translations of the same sources."),
    "annotate": ("documents", "Write the quality of every segment into the file it came in; every other byte stays."),
    "features": ("features", "Compute the features of every segment, or list what there is."),
    "encode": (
        "encoding",
        "Write the vectors of texts by the encoder of ASSAY_ENCODER, as NumPy's array of 32-bit numbers, a row a text.",
    ),
    "import-checkpoint": (
        "checkpoints",
        "Import a checkpoint of COMET, TransQuest, BLEURT or MetricX, whose scores are then the metric neural:NAME.",
    ),
    "score": ("scoring", "Score system outputs against references."),
    "compare": ("analysis", "Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments."),
    "correlate": ("analysis", "Measure how well metrics' scores agree with people's."),
    "tune": ("n_best.tuning", "Tune the weights of a log-linear model on n-best lists."),
    "tune-local": (
        "n_best.local",
        "Choose from n-best lists by weights that are tuned for each sentence, on development sentences like it.",
    ),
    "oracle": (
        "n_best.oracle",
        "Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart.",
    ),
    "rescore-grid": ("n_best.grid", "Rescore n-best lists of several sizes towards their oracles, as a grid of tables."),
    "mbr": ("n_best.mbr", "Choose of each segment's translations the one that the others agree with most, by any metric."),
    "combine": (
        "n_best.combine",
        "Combine outputs of several systems word by word, with equal votes or with weights that are tuned.",
    ),
    "tune-report": ("n_best.report", "Report what methods of tuning are worth: runs, systems, learning curves, metrics."),
    "rerank": ("n_best.rerank", "Put n-best lists into the order of weights, with features that the decoder did not have."),
    "train": ("training", "Train a predictor on labelled segments, or a metric on judged translations."),
    "evaluate": ("measuring", "Measure predictors on labelled segments: Pearson, Spearman, MAE, RMSE, DeltaAvg."),
    "select": ("measuring", "Choose the segments of a pool without labels that are worth annotating next."),
    "select-features": ("measuring", "Rank features, and measure accuracy against their number."),
    "feedback": ("feedback", "Send post-edits or scores to a server; list, export, correct and delete what it keeps."),
    "promote": ("upkeep", "Let this model answer for its language pair and label."),
    "rollback": ("upkeep", "Return to what answered before this model was promoted."),
    "pair": ("pairs", "Make a language pair of one's own from what people have; list and remove such pairs."),
    "lm": ("building", "Estimate a language model and count n-grams."),
    "import-lm": ("corpus.importing", "Import a language model and counts of n-grams that other programs made."),
    "import-lexical": ("corpus.importing", "Import lexical tables of GIZA++ or Moses, in both directions."),
    "import-system": (
        "translation.served",
        "Pack a phrase-based system into one folder, for translate and for features of quality estimation.",
    ),
    "translate": (
        "translation.served",
        "Translate by a phrase-based system that was imported: a tool for measuring, no rival of neural translation.",
    ),
    "align": ("corpus.alignment", "Align words: write links, scores and a saved aligner, or lexical tables in both directions."),
    "extract": ("corpus.extraction", "Extract the pairs of phrases that agree with links of words, as Moses' extract does."),
    "phrase-table": (
        "corpus.phrase_tables",
        "Make a phrase table and tables of orientations of extracted pairs of phrases, as Moses does.",
    ),
    "select-data": ("corpus.selection", "Choose the best pairs of parallel text by a method, up to a number of pairs or words."),
    "convert-trees": (
        "corpus.tree_forms",
        "Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words.",
    ),
    "prune-table": (
        "corpus.pruning",
        "Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test.",
    ),
    "weight": ("corpus.weighting", "Weigh sentence pairs by corpus, in-domain perplexity, recency and alignment."),
    "resample": ("corpus.weighting", "Resample sentence pairs and their links with replacement, by shares of corpora and scores."),
    "mine": ("corpus.harvest", "Find pairs of sentences in comparable texts: retrieval by automatic translations, then TER."),
    "take-translations": (
        "corpus.harvest",
        "Take automatic translations that a decoder was sure of as parallel text, with its links of words.",
    ),
    "translate-unknown": (
        "corpus.harvest",
        "Translate words that a system left as they are, by their stems and a dictionary of the phrase table.",
    ),
    "search-weights": (
        "corpus.weight_search",
        "Search for weights of corpora and powers of scores that translate held-out text best.",
    ),
    "mix-lm": ("corpus.weighting", "Mix language models: weights by EM on held-out text, and the mixture as one ARPA file."),
    "compact-table": ("corpus.compact_table", "Write a table of Moses' text format as one that assay decode maps into memory."),
    "extract-trees": (
        "corpus.tree_extraction",
        "Extract the pairs of chunks that linked nodes of parallel trees have below them, as assay extract does of phrases.",
    ),
    "merge-extracts": (
        "corpus.merging",
        "Join extracted pairs of phrases for one table or for those of all subsets, and tell what extractions share.",
    ),
    "align-trees": ("corpus.tree_extraction", "Link the nodes and words of parallel trees, greedily by lexical tables."),
    "filter": (
        "corpus.filtering",
        "Leave out of parallel text the pairs that break rules: lengths, scripts, languages, copies, numbers, repetitions, ...",
    ),
    "concatenate": ("lines.arranging", "Write the lines of several files one after the other."),
    "slice": ("lines.arranging", "Write some lines of files side by side: the first, the last, those between, each tenth."),
    "split": ("lines.arranging", "Divide files side by side in two, as into text to train on and text to measure on."),
    "sort": ("lines.arranging", "Sort lines of files side by side by their scores."),
    "word-lexicon": ("n_best.resources", "Train a word lexicon on parallel text, for the feature dwl of assay rerank."),
    "translation-model": (
        "n_best.resources",
        "Train a small neural translation model on parallel text, for the feature neural of assay rerank.",
    ),
    "continuous-space-model": (
        "n_best.resources",
        "Train a continuous-space language model on text, for the feature cslm of assay rerank.",
    ),
    "tagger": ("building", "Train taggers and parsers on a treebank, and a language model of its tags."),
    "run": ("recipes", "Run the steps of a recipe, those alone whose inputs or options have changed."),
    "samplerank": ("translation.sampling", "Learn weights of a phrase-based system by SampleRank with operators on derivations."),
    "decode": ("translation.decoding", "Translate by a phrase-based system: a tool for measuring, no rival of neural translation."),
    "smt": (
        "translation.systems",
        "Build and tune a phrase-based system of parallel text, and translate by it: a tool for measuring.",
    ),
    "keys": ("server.keys", "Make, list, limit, rotate and revoke the keys that callers of a server need; say what was used."),
    "audit": ("server.audit", "Show who did what on a server, see that nothing in it was changed, or let old rows expire."),
    "doctor": ("server.doctor", "Look at settings, folders, disks, resources, models, database, keys and port."),
    "backup": ("server.backups", "Save the database and the data folder in one file, while the server runs."),
    "restore": ("server.backups", "Put a backup into the data folder while no server uses it."),
    "owners": ("server.retention", "Delete all that belongs to a person."),
    "expire": ("server.retention", "Delete what has expired by the settings ASSAY_KEEP_..._DAYS, as a server does every hour."),
    "jobs": ("jobs", "List, follow, cancel and fetch jobs of a server."),
}

# Modules of commands that make files of files, which `STEP_FILES` names; decoding knows the tables that a configuration names too.
WRITERS: Final = ("building", "corpus.", "n_best.resources", "translation.systems")


class _Commands(Mapping[str, Command]):
    """Commands by name; one is imported, with all that it needs, when it is asked for."""

    def __getitem__(self, name: str) -> Command:
        module, _ = COMMANDS[name]
        group = typer.main.get_group(import_module(f"app.shell.commands.{module}").commands)
        if "numba" in sys.modules and sys.stderr.isatty():
            _say_what_is_compiled()
        command: Any = group.commands[name]
        if module.startswith(WRITERS):
            _keep_inputs(name, command)
        return command  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Program(TyperGroup):
    """Says what commands there are without importing them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        """Typer would take the end of a packed file that is cut short for that of what somebody types."""
        try:
            return super().invoke(ctx)
        except EOFError:
            raise InputError("invalid-encoding", "a packed file that is read is cut short") from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


program = typer.Typer(
    name="assay", cls=_Program, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Says how good a machine translation is.",
)  # fmt: skip


def _version(wanted: bool) -> None:
    if wanted:
        print(f"assay {__version__}")
        raise typer.Exit


@program.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of all commands."""


def run() -> None:
    """Run a command, and end with its status; 141 where whoever read what it prints went away before its end."""
    status = 0
    _open_closed()
    if sys.argv[1:2] != ["serve"]:
        # What is half written is taken away, as for Ctrl-C. A server drains.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        status = _status()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        # A gate that did fail has failed, whoever heard of it.
        status = status or READER_GONE
        _write_nowhere()
    sys.exit(status)


def _say_what_is_compiled() -> None:
    """Say it once to whoever sits before the screen: the first use of a command may take a minute longer than any later one."""
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: object) -> None:
            if event is first.setdefault("event", event):
                say("assay: compiling for this machine, once after installing (up to a minute) ...")

        def on_end(self, event: object) -> None:
            pass

    first: dict[str, object] = {}
    event.register("numba:compile", Notice())


def _keep_inputs(name: str, command: Any) -> None:
    """Let a command, and those within it, refuse before anything else to write what it reads, whatever --replace allows."""
    for inner, within in getattr(command, "commands", {}).items():
        _keep_inputs(f"{name} {inner}", within)
    call = command.callback

    def checked(**values: Any) -> Any:
        from app.corpus.writing import check_apart
        from app.operations.recipe.step_files import STEP_FILES

        if name in STEP_FILES:
            files = STEP_FILES[name]
            check_apart(
                [path for part in files.reads - files.writes for path in _paths(values.get(part), part in files.first)],
                [Path(text) for part in sorted(files.writes) for text in _texts(values.get(part), part in files.first)],
            )
        return call(**values)

    if call is not None:
        command.callback = update_wrapper(checked, call)


def _texts(value: Any, first: bool) -> list[str]:
    """The values of an option as they were typed; of `first`, the first of them alone. Standard input and output are no files."""
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in map(str, values[:1] if first else values) if text != "-"]


def _paths(value: Any, first: bool) -> Iterator[Path]:
    """What FILE, FILE:COLUMN, NAME=FILE or NAME=FILE:COLUMN may mean."""
    for text in _texts(value, first):
        for part in {text, text.partition("=")[2]}:
            yield from (Path(path) for path in (part, part.rpartition(":")[0]) if path)


def _open_closed() -> None:
    """Streams that were closed before the start (``>&-``) lead nowhere: a file that is opened would take their place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (as long as the program runs)


def _status() -> int:
    """Run; an InputError, or a file that cannot be read or written, becomes one line on stderr and exit code 2, or 3 at a limit."""
    try:
        program()
    except SystemExit as end:
        # Typer answers every pipe that breaks by the code of a gate that failed.
        if isinstance(end.__context__, BrokenPipeError):
            return _broken(end.__context__)
        if isinstance(end.code, int):
            return end.code
        raise
    except InputError as error:
        say(f"assay: {error}")
        return 3 if error.code in LIMITED else 2
    except BrokenPipeError as error:
        return _broken(error)
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return 130
    return 0


def _broken(error: BrokenPipeError) -> int:
    """The status where a pipe broke; BrokenPipeError again where it is one that is printed to."""
    if _reader_is_gone():
        raise error
    return _failed(error)


def _reader_is_gone() -> bool:
    """Whether nobody can read standard output or standard error any more."""
    printed = select.poll()
    for descriptor in (1, 2):
        printed.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in printed.poll(0))


def _write_nowhere() -> None:
    """What was not printed yet would be tried again when Python ends, and be an error again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def _failed(error: OSError) -> int:
    say(f"assay: {_place_of(error)}{error.strerror or error}")
    return 2


def _place_of(error: OSError) -> str:
    """The file that a call of the system was about, where it was about one."""
    return "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
