"""`assay smt`: build and tune a phrase-based system in one command, and translate by it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from app.building.alignment.symmetrisation import SYMMETRISATIONS
from app.building.writing import text_aside
from app.errors import InputError
from app.metrics import metric_named
from app.shell.output import say
from app.smt.commands.options.translation.systems import SmtTrainOptions, SmtTranslateOptions
from app.smt.commands.translation.decoder_outputs import check_list_length, check_outputs, limits_of
from app.smt.decoder.building.chain import CONFIGURATION, UNTUNED_CONFIGURATION, SystemOptions, train_system
from app.smt.decoder.building.loading import load_for
from app.smt.decoder.building.sparse import SparseFeature
from app.smt.decoder.building.steps import CachedSteps, options_of_step
from app.smt.decoder.building.text import plain_text
from app.smt.decoder.decoder import Decoder, check_sentence
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.serving.served_system import CARD, ServedSystem
from app.smt.decoder.tuning.methods import check_method
from app.smt.decoder.tuning.rounds import RoundOptions
from app.smt.decoder.tuning.tuned_system import tune_system, write_configuration
from app.text.reading.lines import TextFile

__all__ = ["train_smt", "translate_smt"]

MEGABYTE = 1024**2
USUAL = SystemOptions()


def train_smt(arguments: SmtTrainOptions) -> None:
    """Align, extract and score phrases, model the target language, tune: from parallel text to a system. Killed, it goes on."""
    if (arguments.dev is None) != arguments.untuned:
        raise InputError("invalid-request", "name text to tune on by --dev SOURCE TARGET, or say --untuned", ("--dev",))
    if arguments.heuristic not in SYMMETRISATIONS:
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}", ("--heuristic",))
    check_method(arguments.method, bool(arguments.sparse))
    kinds = [SparseFeature.parse(name).kind for name in arguments.sparse or ()]
    if len(set(kinds)) < len(kinds):
        raise InputError("invalid-request", "a sparse feature is named twice", ("--sparse",))
    metric_named(arguments.metric)
    if arguments.dev is not None:
        _check_development(*arguments.dev)
    elif (arguments.out / "tuning").is_dir() and not arguments.replace_tuned:
        detail = f"the weights of {arguments.out} were tuned: assay smt translate --untuned ignores them, --replace discards them"
        raise InputError("invalid-request", detail, ("--untuned",))
    options = SystemOptions(
        arguments.lowercase,
        arguments.max_words,
        arguments.heuristic,
        arguments.max_length,
        tuple(arguments.reordering or USUAL.reordering),
        arguments.order,
        SearchLimits(arguments.stack, arguments.distortion_limit),
        arguments.table_limit,
        arguments.memory * MEGABYTE,
        tuple(arguments.lm_text or ()),
        tuple(SparseFeature.parse(name) for name in arguments.sparse or ()),
    )
    options = replace(options, reordering=()) if arguments.reordering == ["none"] else options
    with CachedSteps.of(arguments.out, say) as steps:
        config = train_system(steps, arguments.source, arguments.target, options)
        if arguments.dev is None:
            steps.forget("tuning")
            write_configuration(arguments.out, config)
        else:
            limits = replace(options.limits, stack=min(arguments.stack, arguments.tuning_stack))
            tune_system(
                steps,
                config,
                *arguments.dev,
                arguments.lowercase,
                arguments.metric,
                RoundOptions(arguments.method, arguments.seed, arguments.rounds, arguments.list_length, limits, arguments.step),
            )
    say(f"wrote {arguments.out / CONFIGURATION}")


def _check_development(source: Path, target: Path) -> None:
    """InputError, before long work, for text that cannot be translated, or for sides of different lengths."""
    lines = 0
    for lines, line in enumerate(TextFile.of(source).lines(), 1):
        check_sentence(line, source.name, lines)
    target_lines = sum(1 for _ in TextFile.of(target).lines())
    if lines != target_lines:
        raise InputError("unequal-lengths", f"{source} has {lines} lines but {target} has {target_lines}", ("--dev",))


def translate_smt(options: SmtTranslateOptions) -> None:
    """Translate by a system of assay smt train, as assay smt decode does by its moses.ini."""
    config = options.system / (UNTUNED_CONFIGURATION if options.untuned else CONFIGURATION)
    if not config.is_file():
        raise InputError("invalid-request", f"{options.system} holds no {config.name}; assay smt train makes one")
    if options.n_best is not None:
        check_list_length(options.n_best[1])
        check_outputs(
            {"--n-best": options.n_best[0]}, [Path(options.text), *(path for path in options.system.rglob("*") if path.is_file())]
        )
    with ExitStack() as files:
        raw = TextFile("stdin", sys.stdin.buffer) if options.text == "-" else TextFile.of(Path(options.text))
        parts, lines = load_for(config, _plain_lines(raw, _plain_text_of(options.system)))
        decoder = Decoder(parts, limits_of(parts.ini.limits, options))
        lists = files.enter_context(text_aside(options.n_best[0])) if options.n_best else None
        for segment, line in enumerate(lines):
            result = decoder.translate(line, options.n_best is not None)
            best = result.best()
            if best is None:
                raise InputError("invalid-request", f"nothing translates line {segment + 1} within these limits")
            print(best.span_text if options.segmentation else best.text, flush=lists is None)
            if lists is not None and options.n_best is not None:
                lists.writelines(
                    f"{row}\n" for row in n_best_lines(parts, segment, result.n_best(options.n_best[1], options.distinct))
                )


def _plain_text_of(system: Path) -> Callable[[str], str]:
    """Function that makes a line text of a system, by the card of a packed system or by the training."""
    if (system / CARD).is_file():
        served_system = ServedSystem.open(system)
        return lambda line: " ".join(served_system.words_of(line))
    lowercase = bool(options_of_step(system, "text")["lowercase"])
    return lambda line: plain_text(line, lowercase)


def _plain_lines(text: TextFile, plain_text_of: Callable[[str], str]) -> Iterator[str]:
    for row, line in enumerate(text.lines(), 1):
        plain = plain_text_of(line)
        check_sentence(plain, text.name, row)
        yield plain
