"""`assay smt preorder train` and `apply`: learn a Reordering Grammar from word-aligned text, and reorder sentences by it."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import exp
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.resources.tagger import Tagger
from app.shell.here import engine_here
from app.shell.output import counted, json_text, say
from app.smt.commands.options.translation.preordering import PreorderApplyOptions, PreorderTrainOptions
from app.smt.decoder.building.steps import CachedStep, CachedSteps, Counts
from app.smt.decoder.decoder import check_sentence
from app.smt.reordering.drawings import indented, svg_of_trees
from app.smt.reordering.lattices import decodable_lattice
from app.smt.reordering.models.classes import classes_of
from app.smt.reordering.models.preordering import ORDER_LIMIT, Preordering, preorder
from app.smt.reordering.models.stored import TrainingOptions, load_grammar, save_grammar
from app.smt.reordering.models.training import train_on_files
from app.smt.reordering.trees import tree_of
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["apply", "train"]

STEP: Final = "grammar"
MOST_SPLITS: Final = 100
# Trees of a drawing, which is in memory as a whole.
DRAWING_LIMIT: Final = 200


def train(arguments: PreorderTrainOptions) -> None:
    """Learn which order a target language gives to sentences of a source language. Killed, the training goes on."""
    if not all(1 <= splits <= MOST_SPLITS for splits in arguments.splits):
        raise InputError("invalid-request", f"a label has 1 to {MOST_SPLITS} splits", ("--splits",))
    tagger = _tagger(arguments.language)
    options = TrainingOptions(
        arguments.trees, arguments.attach, arguments.splits, arguments.iterations, arguments.rare, arguments.noise, arguments.seed,
        arguments.language,
    )  # fmt: skip

    def watch(number: int, log: float) -> None:
        say(f"  iteration {number}: log-likelihood {log:.4f} before it")

    with CachedSteps.of(arguments.out, say) as steps:

        def work(folder: Path) -> Counts:
            grammar, card = train_on_files(
                arguments.source, arguments.target, arguments.links, options, arguments.licence, tagger, arguments.threads,
                steps.partial(STEP), watch,
            )  # fmt: skip
            save_grammar(grammar, card, folder)
            perplexity = round(exp(-card.log_likelihoods[-1] / card.words), 4)
            omissions = {f"left out by {reason}": count for reason, count in sorted(card.omissions.items())}
            return {"sentences": card.sentences, **omissions, "terminals": len(grammar.words), "perplexity": perplexity}

        inputs = {"source": arguments.source, "target": arguments.target, "links": arguments.links}
        steps.run(CachedStep(STEP, inputs, {**asdict(options), "licence": arguments.licence}, work, resumable=True))


def _tagger(language: str | None) -> Tagger | None:
    """The tagger of a language; None without a language. InputError if the language has no tagger."""
    if language is None:
        return None
    resources = engine_here().resources.languages.get(language)
    if resources is None or resources.tagger is None:
        detail = f"there is no tagger of {language}; assay resources tagger makes one, or leave out --language"
        raise InputError("missing-resource", detail, ("--language",))
    return resources.tagger


def apply(options: PreorderApplyOptions) -> None:
    """Reorder sentences as the target language would, by a grammar of assay smt preorder train."""
    grammar, card = load_grammar(options.grammar / STEP if (options.grammar / STEP).is_dir() else options.grammar)
    text = TextFile("stdin", sys.stdin.buffer) if options.text == "-" else TextFile.of(Path(options.text))
    count = options.n_best or (ORDER_LIMIT if options.to in ("plf", "lattice") else 1)
    tagger = _tagger(card.options.language)
    trees = []
    for line, words in enumerate(_sentences(text), 1):
        (classes,) = classes_of(tagger, [words])
        result = preorder(grammar, words, classes, count, options.samples, options.seed)
        if len(result.parts) > 1:
            say(f"line {line}: {len(words)} words were ordered in {len(result.parts)} parts, which stay in the order of the source")
        if options.to == "svg":
            if line > DRAWING_LIMIT:
                raise InputError("too-many-segments", f"a drawing has at most {DRAWING_LIMIT} trees", (text.name, line))
            trees.append((tree_of(np.argsort(result.orders[0])), words))
        else:
            for row in _rows(options.to, line, words, result):
                print(row, flush=True)
    if options.to == "svg":
        print(svg_of_trees(trees), end="")


def _sentences(text: TextFile) -> Iterator[list[str]]:
    for line, sentence in enumerate(text.lines(), 1):
        check_sentence(sentence, text.name, line)
        yield tokens_of(sentence)


def _rows(form: str, line: int, words: Sequence[str], result: Preordering) -> Iterator[str]:
    """Lines of a sentence in an output form."""
    orders = result.orders.tolist()
    if form == "json":
        yield json_text(_fields(words, result), None)
    elif form in ("plf", "lattice"):
        lattice, count = decodable_lattice(orders)
        if count < len(orders):
            say(
                f"line {line}: the lattice has the best {count} of {counted(len(orders), 'order')}; the decoder reads no larger one"
            )
        probabilities = lattice.probabilities(result.pairs)
        if form == "plf":
            yield lattice.plf(words, probabilities)
        else:
            arcs = [
                {"start": arc.start, "end": arc.end, "position": arc.position, "probability": round(value, 6)}
                for arc, value in zip(lattice.arcs, probabilities, strict=True)
            ]
            yield json_text({"words": list(words), "nodes": lattice.nodes, "orders": count, "arcs": arcs}, None)
    else:
        for order in orders:
            if form == "tree":
                # Blank lines divide trees.
                yield f"{indented(tree_of(np.argsort(order)), words)}\n"
            else:
                yield " ".join(str(position) if form == "positions" else words[position] for position in order)


def _fields(words: Sequence[str], result: Preordering) -> dict[str, Any]:
    rows = zip(result.orders.tolist(), result.probabilities.tolist(), result.risks.tolist(), strict=True)
    return {
        "words": list(words),
        "orders": [
            {"positions": order, "probability": round(probability, 6), "risk": round(risk, 6)} for order, probability, risk in rows
        ],
        "entropy": round(result.entropy, 6),
        "log_probability": round(result.log_probability, 6),
        "parts": [list(part) for part in result.parts],
    }
