"""`assay smt preorder train`, `apply` and `head-final`: learn word orders from aligned text, and reorder sentences."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from math import exp
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.resources.tagger import UNIVERSAL_TAGS, Tagger
from app.shell.declaration.parameters import changed, refuse
from app.shell.here import engine_here
from app.shell.output import say
from app.smt.commands.options.translation.preordering import HeadFinalOptions, PreorderApplyOptions, PreorderTrainOptions
from app.smt.commands.translation.preordering_outputs import OF_GRAMMARS, OrderPrinter, print_preordering
from app.smt.decoder.building.steps import CachedStep, CachedSteps, Counts
from app.smt.decoder.decoder import check_sentence
from app.smt.preordering.bracketing import BracketingOptions
from app.smt.preordering.head_final import HeadFinalRule
from app.smt.reordering.models.bracketing import (
    BRACKETING,
    BracketingTraining,
    columns_of,
    load_bracketing,
    save_bracketing,
    train_bracketing_on_files,
)
from app.smt.reordering.models.classes import classes_of
from app.smt.reordering.models.preordering import ORDER_LIMIT, preorder
from app.smt.reordering.models.stored import TrainingOptions, load_grammars, save_grammars
from app.smt.reordering.models.training import train_on_files
from app.text.batch import pack_tokens
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["apply", "head_final", "train"]

# Steps by method: each has the folder of its model.
STEPS: Final = ("grammar", "bracketing")
MOST_SPLITS: Final = 100
GRAMMAR_OPTIONS: Final = ("trees", "splits", "rare", "noise", "smoothing", "threads")


def train(arguments: PreorderTrainOptions) -> None:
    """Learn which order a target language gives to sentences of a source language. Killed, a grammar's training goes on."""
    if arguments.method != "grammar":
        refuse(changed(arguments, GRAMMAR_OPTIONS), "this goes with --method grammar")
    if not all(1 <= splits <= MOST_SPLITS for splits in arguments.splits):
        raise InputError("invalid-request", f"a label has 1 to {MOST_SPLITS} splits", ("--splits",))
    if not arguments.licence.isprintable():
        raise InputError("invalid-request", "a licence is a line of printable characters", ("--licence",))
    tagger = None if arguments.language is None else _tagger(arguments.language, "--language", ", or leave out --language")
    inputs = {"source": arguments.source, "target": arguments.target, "links": arguments.links}
    with CachedSteps.of(arguments.out, say) as steps:
        if foreign_steps := set(steps.names) - set(STEPS):
            detail = f"{arguments.out} holds {', '.join(sorted(foreign_steps))} of another command; name a new folder"
            raise InputError("invalid-request", detail, ("--out",))
        if arguments.method == "grammar":
            options, work = _grammar_work(arguments, tagger, steps.partial("grammar"))
        else:
            options, work = _bracketing_work(arguments, tagger)
        options = {**options, "licence": arguments.licence}
        steps.run(CachedStep(arguments.method, inputs, options, work, resumable=arguments.method == "grammar", lone=True))
        # The folder has one model; a failed training leaves the earlier one.
        for name in STEPS:
            if name != arguments.method:
                steps.forget(name)


Work = tuple[dict[str, Any], Callable[[Path], Counts]]


def _grammar_work(arguments: PreorderTrainOptions, tagger: Tagger | None, partial: Path) -> Work:
    options = TrainingOptions(
        arguments.trees, arguments.attach, arguments.splits, arguments.iterations, arguments.rare, arguments.noise, arguments.seed,
        arguments.language, arguments.smoothing, arguments.models,
    )  # fmt: skip

    def watch(model: int, number: int, log: float) -> None:
        say(f"  {_model(model, arguments)}iteration {number}: log-likelihood {log:.4f} before it")

    def work(folder: Path) -> Counts:
        files = arguments.source, arguments.target, arguments.links
        grammars, card = train_on_files(*files, options, arguments.licence, tagger, arguments.threads, partial, watch)
        save_grammars(grammars, card, folder)
        last_logs = card.log_likelihoods[options.iterations - 1 :: options.iterations]
        perplexity = round(exp(-sum(last_logs) / len(last_logs) / card.words), 4)
        omissions = {f"left out by {reason}": count for reason, count in sorted(card.omissions.items())}
        return {"sentences": card.sentences, **omissions, "terminals": len(grammars[0].words), "perplexity": perplexity}

    return asdict(options), work


def _bracketing_work(arguments: PreorderTrainOptions, tagger: Tagger | None) -> Work:
    learning = BracketingOptions(passes=arguments.iterations, seed=arguments.seed)
    options = BracketingTraining(learning, arguments.attach, arguments.models, arguments.language)

    def watch(model: int, number: int) -> None:
        say(f"  {_model(model, arguments)}pass {number}")

    def work(folder: Path) -> Counts:
        files = arguments.source, arguments.target, arguments.links
        model, card = train_bracketing_on_files(*files, options, arguments.licence, tagger, watch)
        save_bracketing(model, card, folder)
        omissions = {f"left out by {reason}": count for reason, count in sorted(card.omissions.items())}
        return {"sentences": card.sentences, **omissions, "weights": int(np.count_nonzero(model.weights))}

    return asdict(options), work


def _model(number: int, arguments: PreorderTrainOptions) -> str:
    return f"model {number}, " if arguments.models > 1 else ""


def _tagger(language: str, place: str, remedy: str = "", parsing: bool = False) -> Tagger:
    """The tagger of a language; InputError about `place` if there is none, or none that finds governors for `parsing`."""
    resources = engine_here().resources.languages.get(language)
    if resources is None or resources.tagger is None:
        detail = f"there is no tagger of {language}; assay resources tagger makes one{remedy}"
        raise InputError("missing-resource", detail, (place,))
    if parsing and not resources.tagger.parses:
        detail = f"the tagger of {language} finds no governors of words; the head-final rule needs them"
        raise InputError("missing-resource", detail, (place,))
    return resources.tagger


def apply(options: PreorderApplyOptions) -> None:
    """Reorder sentences as the target language would, by a model of assay smt preorder train."""
    folder = next((options.folder / name for name in STEPS if (options.folder / name).is_dir()), options.folder)
    if folder.name == "bracketing" or (folder / BRACKETING).is_file():
        _apply_bracketing(options, folder)
    else:
        _apply_grammars(options, folder)


def _apply_grammars(options: PreorderApplyOptions, folder: Path) -> None:
    grammars, card = load_grammars(folder)
    tagger = None if card.options.language is None else _tagger(card.options.language, str(folder))
    text = _text(options.text)
    count = options.n_best or (ORDER_LIMIT if options.to in ("plf", "lattice") else 1)
    printer = OrderPrinter(options.to, text.name)
    for line, words in _sentences(text):
        (classes,) = classes_of(tagger, [words])
        result = preorder(grammars, words, classes, count, options.samples, options.seed)
        if len(result.parts) > 1:
            say(f"line {line}: {len(words)} words were ordered in {len(result.parts)} parts, which stay in the order of the source")
        if options.to in OF_GRAMMARS:
            print_preordering(options.to, line, words, result)
        else:
            printer.add(line, words, result.orders.tolist())
    printer.end()


def _apply_bracketing(options: PreorderApplyOptions, folder: Path) -> None:
    reason = "a bracketing preorderer has one order without probabilities; train a grammar for this"
    refuse({"--to": options.to in OF_GRAMMARS} | changed(options, ("n_best", "samples", "seed")), reason)
    model, card = load_bracketing(folder)
    tagger = None if card.options.language is None else _tagger(card.options.language, str(folder))
    text = _text(options.text)
    printer = OrderPrinter(options.to, text.name)
    for line, words in _sentences(text):
        (classes,) = classes_of(tagger, [words])
        printer.add(line, words, [model.order(columns_of(words, classes)) if words else []])
    printer.end()


def head_final(options: HeadFinalOptions) -> None:
    """Put heads behind their dependents, as in Japanese or Korean, by the trees of Assay's tagger."""
    tagger, text, rule = _tagger(options.language, "--language", parsing=True), _text(options.text), HeadFinalRule()
    printer = OrderPrinter(options.to, text.name)
    for line, words in _sentences(text):
        annotation = tagger.annotate(pack_tokens([words]), True)
        order = rule.order(annotation.heads.tolist(), [UNIVERSAL_TAGS[tag] for tag in annotation.tags])
        printer.add(line, words, [order])
    printer.end()


def _text(name: str) -> TextFile:
    return TextFile("stdin", sys.stdin.buffer) if name == "-" else TextFile.of(Path(name))


def _sentences(text: TextFile) -> Iterator[tuple[int, list[str]]]:
    for line, sentence in enumerate(text.lines(), 1):
        check_sentence(sentence, text.name, line)
        yield line, tokens_of(sentence)
