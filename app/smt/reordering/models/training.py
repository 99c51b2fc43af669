"""Training of a grammar on files of word-aligned text, with a checkpoint after each iteration."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from app import __version__
from app.arrays import Float64s, Int64s
from app.building.writing import file_aside, save_arrays
from app.errors import InputError
from app.resources.manifest import checksum
from app.resources.tagger import Tagger
from app.running.deadline import check_deadline
from app.smt.corpus.phrases.aligned_chunks import read_aligned
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.learning import improve, initial_grammar, smoothed, split_grammar
from app.smt.reordering.models.classes import classes_of
from app.smt.reordering.models.stored import GrammarCard, TrainingOptions
from app.smt.reordering.treebank import Treebank, build_treebank

__all__ = ["Watch", "checksums", "read_sentences", "train_grammar", "train_on_files"]

CHECKPOINT: Final = "iterations-{}.safetensors"
# Called with the number of a model and of its iteration, from 1 each, and the log-likelihood before it.
Watch = Callable[[int, int, float], None]


def read_sentences(source: Path, target: Path, links: Path) -> Iterator[tuple[list[str], Int64s]]:
    """Yield the source words of sentence pairs, and their links of the shape (k, 2); InputError as in `read_aligned`."""
    for chunk in read_aligned(source, target, links):
        side = chunk.source
        raw = side.text.tobytes()
        words = [raw[begin:end].decode() for begin, end in zip(side.begins.tolist(), side.ends.tolist(), strict=True)]
        pairs = np.column_stack([chunk.links_source, chunk.links_target]).astype(np.int64)
        for i in range(len(chunk)):
            yield (words[side.offsets[i] : side.offsets[i + 1]], pairs[chunk.link_offsets[i] : chunk.link_offsets[i + 1]])


def train_grammar(
    treebank: Treebank, options: TrainingOptions, threads: int = 1, folder: Path | None = None,
    watch: Callable[[int, float], None] = lambda number, log: None,
) -> tuple[Grammar, list[float]]:  # fmt: skip
    """Grammar of a seed after all iterations, and the log-likelihood of the treebank before each.

    `folder` keeps the state after the last iteration; a later call with equal arguments goes on from it, with equal results.
    `watch` gets the number and the log-likelihood of each iteration, from 1. The deadline is checked between iterations.
    """
    checkpoint = None if folder is None else folder / CHECKPOINT.format(options.seed)
    grammar, logs = _read_checkpoint(checkpoint, treebank, options)
    if grammar is None:
        grammar = split_grammar(initial_grammar(treebank, threads), options.layout, options.seed, options.noise)
    for number in range(len(logs) + 1, options.iterations + 1):
        check_deadline()
        step = improve(smoothed(grammar, options.smoothing), treebank, threads)
        grammar = step.grammar
        logs.append(step.log_likelihood)
        if checkpoint is not None:
            with file_aside(checkpoint) as staging:
                save_arrays(_arrays(grammar, logs), staging)
        watch(number, step.log_likelihood)
    return smoothed(grammar, options.smoothing), logs


def _arrays(grammar: Grammar, logs: Sequence[float]) -> dict[str, Float64s]:
    return {"roots": grammar.roots, "rules": grammar.rules, "emissions": grammar.emissions, "logs": np.array(logs)}


def _read_checkpoint(path: Path | None, treebank: Treebank, options: TrainingOptions) -> tuple[Grammar | None, list[float]]:
    """Grammar and log-likelihoods of an earlier run; None without a complete, sound file."""
    if path is not None and path.is_file():
        with suppress(SafetensorError, KeyError):
            arrays, layout = load_file(path), options.layout
            grammar = Grammar(layout, treebank.words, arrays["roots"], arrays["rules"], arrays["emissions"])
            symbols, slots = int(layout.symbols[-1]), int(layout.slots[-1])
            shapes = (symbols,), (slots, symbols), (len(treebank.words), slots)
            tables = grammar.roots, grammar.rules, grammar.emissions, arrays["logs"]
            if tuple(table.shape for table in tables[:3]) == shapes and all(np.isfinite(table).all() for table in tables):
                return grammar, arrays["logs"].tolist()
    return None, []


def train_on_files(
    source: Path, target: Path, links: Path, options: TrainingOptions, licence: str, tagger: Tagger | None = None, threads: int = 1,
    folder: Path | None = None, watch: Watch = lambda model, number, log: None,
) -> tuple[list[Grammar], GrammarCard]:  # fmt: skip
    """Train on tokenised parallel text with links ``i-j``; see `train_grammar`. InputError if no sentence can be used."""
    sentences = list(read_sentences(source, target, links))
    classes = classes_of(tagger, (words for words, _ in sentences))
    treebank = build_treebank(sentences, options.trees, options.attach, options.rare, classes=classes)
    if not treebank.sentences:
        reasons = ", ".join(f"{count} by {reason}" for reason, count in treebank.omissions.items())
        detail = f"no sentence of {source.name} can be used ({reasons}); a sentence has 2 to 50 words, two with links"
        raise InputError("invalid-training-data", detail, (str(source),))
    grammars, logs = [], []
    for model in range(options.models):
        grammar, values = train_grammar(
            treebank, replace(options, seed=options.seed + model), threads, folder, partial(watch, model + 1)
        )
        grammars.append(grammar)
        logs += values
    card = GrammarCard(
        options, treebank.sentences, int(treebank.lengths.sum()), treebank.omissions, logs, checksums(source, target, links),
        licence, __version__,
    )  # fmt: skip
    return grammars, card


def checksums(source: Path, target: Path, links: Path) -> dict[str, str]:
    """Checksums of the files of a training, by role and name."""
    return {f"{role} {path.name}": checksum(path) for role, path in (("source", source), ("target", target), ("links", links))}
