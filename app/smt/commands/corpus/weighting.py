"""`assay weight`, `resample` and `mix-lm`: how much corpora, spans of time and sentence pairs count."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer

from app.arrays import Float64s
from app.building.arpa import read_arpa, write_arpa
from app.building.writing import file_aside
from app.errors import InputError
from app.planning.numerals import number_of
from app.resources.language_models import open_language_model
from app.shell.output import check_file, check_folder, counted, print_json, say
from app.shell.parameters import number
from app.smt.corpus.weighting.columns import Labels, by_name, check_rows, count_lines, read_days, read_labels, read_numbers
from app.smt.corpus.weighting.goodness import (
    ALIGNMENT_FORMS,
    SPANS,
    alignment_scores,
    decay,
    inverse_perplexities,
    years_ago,
    years_by_corpus,
    years_by_line,
)
from app.smt.corpus.weighting.mixture import fit_mixture, mix_models, token_probabilities
from app.smt.corpus.weighting.resampling import DEFAULT_FACTOR, MOST_DRAWN, draw_counts, resample_files
from app.smt.corpus.weighting.sentence_weights import DEFAULT_POWER, SCORES, PairScores, corpus_mixture, read_text

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
# How far a weight of a mixture may be from what is meant, as 0.33 is from a third.
ROUNDING = 0.005
# Text is no older, and no rate of decay means anything beyond.
MOST_YEARS = 1e4
# What was typed, and not left as it is.
GIVEN: Final = "COMMANDLINE"
# Which option says nothing without which other one.
BELONGS: Final = (
    ("order", "held_out", "--held-out"), ("dates", "rates", "--decay"), ("span", "dates", "--dates"), ("spans", "rates", "--decay"),
    ("years", "rates", "--decay"), ("form", "alignment", "--alignment"), ("smoothing", "alignment", "--alignment"),
    ("power", "out", "--out"),
)  # fmt: skip
Corpora = Annotated[Path | None, typer.Option(help="The corpus of each sentence pair, a name a line; one corpus otherwise.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command()
def weight(
    context: typer.Context,
    text: Annotated[Path, typer.Argument(help="One side of the text, words with blanks between them, a sentence a line.")],
    out: Annotated[Path | None, typer.Option(help="Write a weight a line, for assay extract --weights.")] = None,
    table: Annotated[Path | None, typer.Option(help="Write corpora and scores, for assay phrase-table --pair-scores.")] = None,
    corpora: Corpora = None,
    corpus_weight: Annotated[list[str] | None, typer.Option(help="Weight of a corpus, as news=0.7; 1 for others; repeat.")] = None,
    held_out: Annotated[
        Path | None, typer.Option(help="Text in the domain: corpora weigh what their language models do in it.")
    ] = None,
    order: Annotated[int, typer.Option(min=2, max=6, help="Longest n-gram of corpora's language models.")] = 3,
    by_share: Annotated[
        bool, typer.Option("--by-share", help="Divide weights of corpora by their sizes, so that they are shares.")
    ] = False,
    lm: Annotated[Path | None, typer.Option("--lm", help="Language model of the domain: score pairs by perplexity.")] = None,
    most_perplexity: Annotated[float | None, number(about="Weigh pairs of a higher perplexity 0.", low=1.0)] = None,
    rates: Annotated[
        list[str] | None,
        typer.Option("--decay", help="Score pairs by recency: exp(-rate years); of a corpus, as news=0.5; repeat."),
    ] = None,
    dates: Annotated[
        Path | None, typer.Option(help="Date of each pair, as 2011-07-27; lines are in the order of time otherwise.")
    ] = None,
    span: Annotated[str, typer.Option(help=f"How dates are cut: {', '.join(SPANS)}.")] = "year",
    spans: Annotated[int, typer.Option(min=1, help="Spans that lines are cut into where there are no dates.")] = 10,
    years: Annotated[float, number(about="Years that lines are from where there are no dates.", low=0.0, high=MOST_YEARS)] = 10.0,
    alignment: Annotated[Path | None, typer.Option(help="Scores of assay align --scores: score pairs by their links.")] = None,
    form: Annotated[str, typer.Option(help=f"How alignment scores are brought to 0 to 1: {', '.join(ALIGNMENT_FORMS)}.")] = "ratio",
    smoothing: Annotated[float, number(about="The coefficient of alignment scores.")] = 0.1,
    power: Annotated[
        list[str] | None, typer.Option(help=f"Power of a score ({', '.join(SCORES)}), as recency=1; {DEFAULT_POWER} otherwise.")
    ] = None,
    replace: Replace = False,
) -> None:
    """Weigh sentence pairs by corpus, in-domain perplexity, recency and alignment."""
    if form not in ALIGNMENT_FORMS or span not in SPANS:
        option, names = ("--form", ALIGNMENT_FORMS) if form not in ALIGNMENT_FORMS else ("--span", tuple(SPANS))
        raise InputError("invalid-request", f"this is one of {', '.join(names)}", (option,))
    if out is None and table is None:
        raise InputError("invalid-request", "say what to write: --out, --table or both")
    _check_used(context)
    for path, option in ((out, "--out"), (table, "--table")):
        if path is not None:
            check_file(path, option)
            if path.exists() and not replace:
                raise InputError("invalid-request", f"{path} is there already; --replace writes another in its place", (option,))
    lines = read_text(text)
    labels = _labels(corpora, len(lines))
    answer: dict[str, object] = {"pairs": len(lines), "corpora": dict(zip(labels.names, labels.sizes.tolist(), strict=True))}
    weights = np.ones(len(labels.names))
    if held_out is not None:
        if corpus_weight:
            raise InputError("invalid-request", "corpora are weighted by numbers or by language models", ("--corpus-weight",))
        mixture = corpus_mixture(lines, labels, read_text(held_out), order)
        weights = mixture.weights
        answer["perplexity"] = {"mixture": mixture.perplexity, **dict(zip(labels.names, mixture.alone.tolist(), strict=True))}
    for name, value in by_name(corpus_weight or (), labels.names, "--corpus-weight").items():
        weights[labels.names.index(name)] = value
    answer["weights"] = dict(zip(labels.names, weights.tolist(), strict=True))
    if by_share:
        weights = weights / labels.sizes * len(labels) / weights.sum()
    scores: dict[str, Float64s] = {}
    if lm is not None:
        scores["perplexity"] = inverse_perplexities(open_language_model(lm), lines)
        if most_perplexity is not None:
            scores["perplexity"] = np.where(scores["perplexity"] < 1 / most_perplexity, 0.0, scores["perplexity"])
    elif most_perplexity is not None:
        raise InputError("invalid-request", "perplexity is that of a language model, which --lm names", ("--most-perplexity",))
    if rates:
        by_corpus = _rates(rates, labels)
        if dates is not None:
            days = read_days(dates)
            check_rows(dates, len(days), len(lines))
            times = years_ago(days, span)
        elif any("=" in rate for rate in rates):
            times = years_by_corpus(labels, spans, years)
        else:
            times = years_by_line(len(lines), spans, years)
        scores["recency"] = decay(times, by_corpus[labels.ids])
    if alignment is not None:
        log_probs = read_numbers(alignment, 2, most=0.0)
        check_rows(alignment, len(log_probs), len(lines))
        scores["alignment"] = alignment_scores(log_probs, smoothing, form)  # type: ignore[arg-type]
    pairs = PairScores(labels, weights, scores)
    powers = by_name(power or (), tuple(scores), "--power")
    if out is not None:
        pairs.write_weights(out, powers)
    if table is not None:
        pairs.write(table)
    print_json(answer)


def _rates(words: Sequence[str], labels: Labels) -> Float64s:
    """The rate of decay of each corpus: that of all, or its own."""
    own = [word for word in words if "=" in word]
    common = [number_of(word) for word in words if word not in own]
    if len(common) > 1 or any(rate is None or not 0 <= rate <= MOST_YEARS for rate in common):
        raise InputError(
            "invalid-request", f"this is one rate for all, from 0 to {MOST_YEARS:g}, or NAME=RATE for a corpus", ("--decay",)
        )
    rates = np.full(len(labels.names), common[0] if common else 0.0)
    for name, rate in by_name(own, labels.names, "--decay", MOST_YEARS).items():
        rates[labels.names.index(name)] = rate
    return rates


@commands.command()
def resample(
    files: Annotated[list[Path], typer.Argument(help="Source, target, links, and whatever else has a line a sentence pair.")],
    out: Annotated[Path, typer.Option(help="Folder to write the resampled files into, under their names.")],
    factor: Annotated[float, number(about="Pairs to draw, as a multiple of those that there are.", low=0.0)] = DEFAULT_FACTOR,
    size: Annotated[int | None, typer.Option(min=0, help="Pairs to draw, instead of a multiple.")] = None,
    corpora: Corpora = None,
    share: Annotated[
        list[str] | None, typer.Option(help="Share of a corpus in what is drawn, as news=0.7; repeat for all.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="A score a line, from 0 to 1: how probable it is that a pair that was drawn is taken.")
    ] = None,
    original: Annotated[
        bool, typer.Option("--original/--no-original", help="Add each pair once more, so that no phrase is lost.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")] = 0,
    replace: Replace = False,
) -> None:
    """Resample sentence pairs and their links with replacement, by shares of corpora and scores."""
    check_folder(out, "--out")
    goodness = None if scores is None else read_numbers(scores, 1, 0.0, 1.0)[:, 0]
    pairs = count_lines(files[0]) if goodness is None else len(goodness)
    labels = _labels(corpora, pairs)
    shares = None
    if share:
        by_corpus = by_name(share, labels.names, "--share")
        if len(by_corpus) < len(labels.names) or not sum(by_corpus.values()):
            raise InputError("invalid-request", f"each corpus has a share: {', '.join(labels.names)}", ("--share",))
        shares = np.array([by_corpus[name] for name in labels.names])
    exact = factor * pairs if size is None else size
    if exact > MOST_DRAWN:
        name = "--factor" if size is None else "--size"
        raise InputError("invalid-request", f"at most {MOST_DRAWN:,} pairs are drawn", (name,))
    wanted = round(exact)
    counts = draw_counts(labels, np.random.default_rng(seed), wanted, shares, goodness)
    command = shlex.join(["assay", *(Path(word).name if "/" in word else word for word in sys.argv[1:])])
    made = resample_files(files, out, counts, labels, original, command, replace)
    drawn = ", ".join(f"{number} of {name}" for name, number in made.drawn.items())
    say(f"wrote {counted(made.written, 'pair')} to {out}; drawn: {drawn}")


@commands.command("mix-lm")
def mix_lm(
    models: Annotated[list[Path], typer.Argument(help="Language models as ARPA files, of the same order.")],
    held_out: Annotated[Path | None, typer.Option(help="Text that weights are found on, by EM.")] = None,
    weights: Annotated[str | None, typer.Option(help="Weights instead, as 0.7,0.3.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the mixture as one ARPA file.")] = None,
    replace: Replace = False,
) -> None:
    """Mix language models: weights by EM on held-out text, and the mixture as one ARPA file."""
    if (held_out is None) == (weights is None):
        raise InputError("invalid-request", "weights are found on --held-out or are given by --weights")
    if out is not None:
        check_file(out, "--out")
        if out.exists() and not replace:
            raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--out",))
    backoff = [read_arpa(path) for path in models]
    answer: dict[str, object] = {}
    if held_out is not None:
        mixture = fit_mixture(token_probabilities(backoff, read_text(held_out)))
        shares = mixture.weights
        answer = {"perplexity": mixture.perplexity, "alone": mixture.alone.tolist(), "tokens": mixture.tokens}
    else:
        shares = _shares(weights or "", len(models))
    if out is not None:
        with file_aside(out) as aside:
            write_arpa(mix_models(backoff, shares), aside)
    print_json({"weights": dict(zip(map(str, models), shares.tolist(), strict=True)), **answer})


def _check_used(context: typer.Context) -> None:
    """InputError about an option that would change nothing, since the one that it belongs to is not there, or another is."""
    sources = {name: context.get_parameter_source(name) for name, value in context.params.items() if value}
    given = {name for name, source in sources.items() if source is not None and source.name == GIVEN}
    for name, other, option in BELONGS:
        if name in given and other not in given:
            raise InputError("invalid-request", f"this says something with {option} alone", (f"--{name.replace('_', '-')}",))
    for name in ("spans", "years"):
        if name in given and "dates" in given:
            raise InputError("invalid-request", "the dates say when lines are from", (f"--{name}",))


def _shares(text: str, count: int) -> Float64s:
    numbers = [number_of(part) for part in text.split(";" if ";" in text else ",")]
    shares = np.array([np.nan if number is None else number for number in numbers])
    # A third is written with as many digits as people like.
    if len(shares) != count or not (shares >= 0).all() or not abs(shares.sum() - 1) <= ROUNDING * count:
        example = "0.7,0.3" if count == 2 else "0.5,0.3,0.2"
        detail = f"these are {counted(count, 'number')} from 0 that sum to 1, as {example}"
        raise InputError("invalid-request", detail, ("--weights",))
    return np.asarray(shares / shares.sum())


def _labels(corpora: Path | None, pairs: int) -> Labels:
    if corpora is None:
        return Labels.one(pairs)
    labels = read_labels(corpora)
    check_rows(corpora, len(labels), pairs)
    return labels
