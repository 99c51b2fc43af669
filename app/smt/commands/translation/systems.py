"""`assay smt`: build and tune a phrase-based system in one command, and translate by it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from app.building.alignment.symmetrisation import DEFAULT_SYMMETRISATION, SYMMETRISATIONS
from app.building.writing import text_aside
from app.errors import InputError
from app.metrics import metric_named
from app.shell.output import check_folder, say
from app.shell.parameters import number
from app.smt.commands.translation.decoder_outputs import check_list_length, check_outputs
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.phrases.extraction import LONGEST_PHRASE
from app.smt.decoder.building.chain import CONFIGURATION, UNTUNED, SystemOptions, train_system
from app.smt.decoder.building.loading import load_for
from app.smt.decoder.building.sparse import SPARSE_FEATURES, SparseFeature
from app.smt.decoder.building.steps import Steps, options_of_step
from app.smt.decoder.building.text import MOST_WORDS, plain_text
from app.smt.decoder.decoder import Decoder, check_sentence
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.serving import CARD, ServedSystem
from app.smt.decoder.tuning.fixing import FIXING
from app.smt.decoder.tuning.likelihood import LIKELIHOOD
from app.smt.decoder.tuning.rounds import LIST_LENGTH, METHOD, ROUNDS, STEP, RoundOptions
from app.smt.decoder.tuning.tuned_system import BY_CHAINS, check_method, tune_system, write_configuration
from app.smt.tuning import METHODS
from app.text.reading.lines import TextFile

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
systems = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Build and tune a phrase-based system of parallel text, and translate by it: a tool for measuring.",
)
commands.add_typer(systems, name="smt")
MEGABYTE = 1024**2
USUAL = SystemOptions()
# Weights of smaller stacks are as good ones, in half the time (docs/smt/system.md).
TUNING_STACK = 30


@systems.command("train")
def train_smt(
    source: Annotated[Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line; gzip is read.")],
    target: Annotated[Path, typer.Argument(help="Target text.")],
    out: Annotated[Path, typer.Option(help="Folder of the system; steps that are done in it already are not done again.")],
    dev: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="SOURCE TARGET", help="Text to tune weights on; or say --untuned.")
    ] = None,
    untuned: Annotated[bool, typer.Option("--untuned", help="Leave the weights as Moses has them.")] = False,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Lower-case all text; it is used as it is given otherwise.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            help=f"How weights are tuned: {', '.join(METHODS)}, with options as in tune; or {BY_CHAINS}, {FIXING}, {LIKELIHOOD}."
        ),
    ] = METHOD,
    metric: Annotated[str, typer.Option("--metric", "-m", help="The metric that is tuned towards.")] = "bleu|tok:none",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first round of tuning.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Times that weights are tuned, at most.")] = ROUNDS,
    list_length: Annotated[int, typer.Option(min=1, max=10_000, help="Hypotheses of a sentence that a round adds.")] = LIST_LENGTH,
    step: Annotated[float, number(about="Share of the way from the best weights so far that a round goes.", shares=True)] = STEP,
    tuning_stack: Annotated[int, typer.Option(min=1, help="Hypotheses a stack while weights are tuned, at most.")] = TUNING_STACK,
    order: Annotated[int, typer.Option(min=2, max=7, help="Longest n-gram of the language model.")] = USUAL.order,
    lm_text: Annotated[
        list[Path] | None, typer.Option(help="More text of the target language for the language model; repeat for more.")
    ] = None,
    max_length: Annotated[int, typer.Option(min=1, max=100, help="Most words of a phrase.")] = LONGEST_PHRASE,
    max_words: Annotated[int, typer.Option(min=1, max=1000, help="Longer sentences are left out.")] = MOST_WORDS,
    reordering: Annotated[
        list[str] | None, typer.Option(help="Model of reordering, as phrase-mslr-bidirectional-fe; repeat for more; none for none.")
    ] = None,
    heuristic: Annotated[
        str, typer.Option(help=f"How directions of links become one: {', '.join(SYMMETRISATIONS)}.")
    ] = DEFAULT_SYMMETRISATION,
    distortion_limit: Annotated[int, typer.Option(help="Longest jump in words, -1 for any.")] = USUAL.limits.distortion,
    stack: Annotated[int, typer.Option(help="Hypotheses a stack.")] = USUAL.limits.stack,
    table_limit: Annotated[
        int, typer.Option(min=0, help="Translations of a phrase that are looked at, 0 for all.")
    ] = USUAL.table_limit,
    sparse: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Sparse features to tune: {', '.join(SPARSE_FEATURES)}; repeat for more. NAME:N tells N frequent words."
        ),
    ] = None,
    memory: Annotated[int, typer.Option(min=16, help="Megabytes that sorting takes.")] = DEFAULT_MEMORY // MEGABYTE,
    replace_tuned: Annotated[
        bool, typer.Option("--replace", help="With --untuned: throw away weights that were tuned before.")
    ] = False,
) -> None:
    """Align, extract and score phrases, model the target language, tune: from parallel text to a system. Killed, it goes on."""
    if (dev is None) != untuned:
        raise InputError("invalid-request", "name text to tune on by --dev SOURCE TARGET, or say --untuned", ("--dev",))
    if heuristic not in SYMMETRISATIONS:
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}", ("--heuristic",))
    check_method(method, bool(sparse))
    kinds = [SparseFeature.parse(name).kind for name in sparse or ()]
    if len(set(kinds)) < len(kinds):
        raise InputError("invalid-request", "a sparse feature is named twice", ("--sparse",))
    metric_named(metric)
    check_folder(out, "--out")
    if dev is not None:
        _check_development(*dev)
    elif (out / "tuning").is_dir() and not replace_tuned:
        detail = f"the weights of {out} were tuned: assay smt translate --untuned leaves them aside, --replace throws them away"
        raise InputError("invalid-request", detail, ("--untuned",))
    options = SystemOptions(
        lowercase, max_words, heuristic, max_length, tuple(reordering or USUAL.reordering), order, Limits(stack, distortion_limit),
        table_limit, memory * MEGABYTE, tuple(lm_text or ()), tuple(SparseFeature.parse(name) for name in sparse or ()),
    )  # fmt: skip
    options = replace(options, reordering=()) if reordering == ["none"] else options
    with Steps.of(out, say) as steps:
        config = train_system(steps, source, target, options)
        if dev is None:
            steps.forget("tuning")
            write_configuration(out, config)
        else:
            limits = replace(options.limits, stack=min(stack, tuning_stack))
            tune_system(steps, config, *dev, lowercase, metric, RoundOptions(method, seed, rounds, list_length, limits, step))
    say(f"wrote {out / CONFIGURATION}")


def _check_development(source: Path, target: Path) -> None:
    """Before all that comes first: whether the text to tune on can be translated, and has as many lines on both sides."""
    lines = 0
    for lines, line in enumerate(TextFile.of(source).lines(), 1):
        check_sentence(line, source.name, lines)
    others = sum(1 for _ in TextFile.of(target).lines())
    if lines != others:
        raise InputError("unequal-lengths", f"{source} has {lines} lines but {target} has {others}", ("--dev",))


@systems.command("translate")
def translate_smt(
    system: Annotated[Path, typer.Argument(help="Folder of a system that assay smt train made or import-system packed.")],
    text: Annotated[str, typer.Argument(help="Text as the system was trained on, a sentence a line; - is stdin.")] = "-",
    n_best: Annotated[
        tuple[Path, int] | None, typer.Option(metavar="FILE N", help="Write the N best derivations of each sentence.")
    ] = None,
    distinct: Annotated[bool, typer.Option("--distinct", help="N best translations, each by its best derivation.")] = False,
    untuned: Annotated[bool, typer.Option("--untuned", help="Translate with the weights before tuning.")] = False,
    stack: Annotated[int | None, typer.Option(help="Hypotheses a stack; as the configuration says otherwise.")] = None,
    distortion_limit: Annotated[int | None, typer.Option(help="Longest jump in words, -1 for any.")] = None,
    segmentation: Annotated[bool, typer.Option("--segmentation", help="Print the source span behind each phrase.")] = False,
) -> None:
    """Translate by a system of assay smt train, as assay decode does by its moses.ini."""
    config = system / (UNTUNED if untuned else CONFIGURATION)
    if not config.is_file():
        raise InputError("invalid-request", f"{system} holds no {config.name}; assay smt train makes one")
    if n_best is not None:
        check_list_length(n_best[1])
        check_outputs({"--n-best": n_best[0]}, [Path(text), *(path for path in system.rglob("*") if path.is_file())])
    with ExitStack() as files:
        raw = TextFile("stdin", sys.stdin.buffer) if text == "-" else TextFile.of(Path(text))
        loaded, lines = load_for(config, _plain_lines(raw, _plain_text_of(system)))
        chosen = {"stack": stack, "distortion": distortion_limit}
        limits = replace(loaded.ini.limits, **{name: value for name, value in chosen.items() if value is not None})
        decoder = Decoder(loaded, limits)
        lists = files.enter_context(text_aside(n_best[0])) if n_best else None
        for segment, line in enumerate(lines):
            result = decoder.translate(line, n_best is not None)
            best = result.best()
            if best is None:
                raise InputError("invalid-request", f"nothing translates line {segment + 1} within these limits")
            print(best.segmented if segmentation else best.text, flush=lists is None)
            if lists is not None and n_best is not None:
                lists.writelines(f"{row}\n" for row in n_best_lines(loaded, segment, result.n_best(n_best[1], distinct)))


def _plain_text_of(system: Path) -> Callable[[str], str]:
    """How lines become text of a system: as a packed one says, or as one was trained."""
    if (system / CARD).is_file():
        packed = ServedSystem.open(system)
        return lambda line: " ".join(packed.words_of(line))
    lowercase = bool(options_of_step(system, "text")["lowercase"])
    return lambda line: plain_text(line, lowercase)


def _plain_lines(text: TextFile, plain_text_of: Callable[[str], str]) -> Iterator[str]:
    for row, line in enumerate(text.lines(), 1):
        plain = plain_text_of(line)
        check_sentence(plain, text.name, row)
        yield plain
