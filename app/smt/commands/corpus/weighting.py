"""`assay corpus weight`, `resample` and `mix-lm`: how much corpora, spans of time and sentence pairs count."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.building.arpa import read_arpa, write_arpa
from app.building.writing import file_aside
from app.errors import InputError
from app.planning.numerals import number_of
from app.resources.language_models import open_language_model
from app.shell.output import counted, print_json, say
from app.smt.commands.options.corpus.weighting import MixLmOptions, ResampleOptions, WeightOptions
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
from app.smt.corpus.weighting.resampling import DRAW_LIMIT, draw_counts, resample_files
from app.smt.corpus.weighting.sentence_weights import PairScores, corpus_mixture, read_text

__all__ = ["mix_lm", "resample", "weight"]

# Tolerance of a rounded weight, as 0.33 for a third.
ROUNDING = 0.005
# Upper limit of ages of text and of rates of decay.
MOST_YEARS = 1e4
# Options, the option that each needs, and its name in errors.
BELONGS: Final = (
    ("order", "held_out", "--held-out"),
    ("dates", "rates", "--decay"),
    ("span", "dates", "--dates"),
    ("spans", "rates", "--decay"),
    ("years", "rates", "--decay"),
    ("form", "alignment", "--alignment"),
    ("smoothing", "alignment", "--alignment"),
    ("power", "out", "--out"),
)


def weight(options: WeightOptions) -> None:
    """Weigh sentence pairs by corpus, in-domain perplexity, recency and alignment."""
    if options.form not in ALIGNMENT_FORMS or options.span not in SPANS:
        option, names = ("--form", ALIGNMENT_FORMS) if options.form not in ALIGNMENT_FORMS else ("--span", tuple(SPANS))
        raise InputError("invalid-request", f"this is one of {', '.join(names)}", (option,))
    if options.out is None and options.table is None:
        raise InputError("invalid-request", "name an output: --out, --table or both")
    _check_used(options)
    lines = read_text(options.text)
    labels = _labels(options.corpora, len(lines))
    answer: dict[str, object] = {"pairs": len(lines), "corpora": dict(zip(labels.names, labels.sizes.tolist(), strict=True))}
    weights = np.ones(len(labels.names))
    if options.held_out is not None:
        if options.corpus_weight:
            raise InputError("invalid-request", "corpora are weighted by numbers or by language models", ("--corpus-weight",))
        mixture = corpus_mixture(lines, labels, read_text(options.held_out), options.order)
        weights = mixture.weights
        answer["perplexity"] = {
            "mixture": mixture.perplexity,
            **dict(zip(labels.names, mixture.single_perplexities.tolist(), strict=True)),
        }
    for name, value in by_name(options.corpus_weight or (), labels.names, "--corpus-weight").items():
        weights[labels.names.index(name)] = value
    answer["weights"] = dict(zip(labels.names, weights.tolist(), strict=True))
    if options.by_share:
        weights = weights / labels.sizes * len(labels) / weights.sum()
    scores: dict[str, Float64s] = {}
    if options.lm is not None:
        scores["perplexity"] = inverse_perplexities(open_language_model(options.lm), lines)
        if options.most_perplexity is not None:
            scores["perplexity"] = np.where(scores["perplexity"] < 1 / options.most_perplexity, 0.0, scores["perplexity"])
    elif options.most_perplexity is not None:
        raise InputError("invalid-request", "this needs a language model; name it by --lm", ("--most-perplexity",))
    if options.rates:
        by_corpus = _rates(options.rates, labels)
        if options.dates is not None:
            days = read_days(options.dates)
            check_rows(options.dates, len(days), len(lines))
            times = years_ago(days, options.span)
        elif any("=" in rate for rate in options.rates):
            times = years_by_corpus(labels, options.spans, options.years)
        else:
            times = years_by_line(len(lines), options.spans, options.years)
        scores["recency"] = decay(times, by_corpus[labels.ids])
    if options.alignment is not None:
        log_probs = read_numbers(options.alignment, 2, maximum=0.0)
        check_rows(options.alignment, len(log_probs), len(lines))
        scores["alignment"] = alignment_scores(log_probs, options.smoothing, options.form)  # type: ignore[arg-type]
    pairs = PairScores(labels, weights, scores)
    powers = by_name(options.power or (), tuple(scores), "--power")
    if options.out is not None:
        pairs.write_weights(options.out, powers)
    if options.table is not None:
        pairs.write(options.table)
    print_json(answer)


def _rates(words: Sequence[str], labels: Labels) -> Float64s:
    """Rate of decay of each corpus: the common rate, or a rate by name; shape (corpora,)."""
    named_rates = [word for word in words if "=" in word]
    common = [number_of(word) for word in words if word not in named_rates]
    if len(common) > 1 or any(rate is None or not 0 <= rate <= MOST_YEARS for rate in common):
        raise InputError(
            "invalid-request", f"this is one rate for all, from 0 to {MOST_YEARS:g}, or NAME=RATE for a corpus", ("--decay",)
        )
    rates = np.full(len(labels.names), common[0] if common else 0.0)
    for name, rate in by_name(named_rates, labels.names, "--decay", MOST_YEARS).items():
        rates[labels.names.index(name)] = rate
    return rates


def resample(options: ResampleOptions) -> None:
    """Resample sentence pairs and their links with replacement, by shares of corpora and scores."""
    goodness = None if options.scores is None else read_numbers(options.scores, 1, 0.0, 1.0)[:, 0]
    pairs = count_lines(options.files[0]) if goodness is None else len(goodness)
    labels = _labels(options.corpora, pairs)
    shares = None
    if options.share:
        by_corpus = by_name(options.share, labels.names, "--share")
        if len(by_corpus) < len(labels.names) or not sum(by_corpus.values()):
            raise InputError("invalid-request", f"each corpus has a share: {', '.join(labels.names)}", ("--share",))
        shares = np.array([by_corpus[name] for name in labels.names])
    exact = options.factor * pairs if options.size is None else options.size
    if exact > DRAW_LIMIT:
        name = "--factor" if options.size is None else "--size"
        raise InputError("invalid-request", f"at most {DRAW_LIMIT:,} pairs are drawn", (name,))
    size = round(exact)
    counts = draw_counts(labels, np.random.default_rng(options.seed), size, shares, goodness)
    command = shlex.join(["assay", *(Path(word).name if "/" in word else word for word in sys.argv[1:])])
    result = resample_files(options.files, options.out, counts, labels, options.original, command, options.replace)
    draws = ", ".join(f"{number} of {name}" for name, number in result.draws.items())
    say(f"wrote {counted(result.output_pairs, 'pair')} to {options.out}; drawn: {draws}")


def mix_lm(options: MixLmOptions) -> None:
    """Mix language models: weights by EM on held-out text, and the mixture as one ARPA file."""
    if (options.held_out is None) == (options.weights is None):
        raise InputError("invalid-request", "weights are found on --held-out or are given by --weights")
    backoff = [read_arpa(path) for path in options.models]
    answer: dict[str, object] = {}
    if options.held_out is not None:
        mixture = fit_mixture(token_probabilities(backoff, read_text(options.held_out)))
        shares = mixture.weights
        answer = {"perplexity": mixture.perplexity, "alone": mixture.single_perplexities.tolist(), "tokens": mixture.tokens}
    else:
        shares = _shares(options.weights or "", len(options.models))
    if options.out is not None:
        with file_aside(options.out) as temporary:
            write_arpa(mix_models(backoff, shares), temporary)
    print_json({"weights": dict(zip(map(str, options.models), shares.tolist(), strict=True)), **answer})


def _check_used(options: WeightOptions) -> None:
    """InputError for an option without effect: its companion is missing, or a further option overrides it."""
    names_set = {field.name for field in fields(options) if getattr(options, field.name) not in (None, field.default)}
    for name, companion, option in BELONGS:
        if name in names_set and companion not in names_set:
            raise InputError("invalid-request", f"this option needs {option}", (f"--{name.replace('_', '-')}",))
    for name in ("spans", "years"):
        if name in names_set and "dates" in names_set:
            raise InputError("invalid-request", "the file of dates already gives the age of lines", (f"--{name}",))


def _shares(text: str, count: int) -> Float64s:
    numbers = [number_of(part) for part in text.split(";" if ";" in text else ",")]
    shares = np.array([np.nan if number is None else number for number in numbers])
    # Users round weights, as 0.33 for a third.
    if len(shares) != count or not (shares >= 0).all() or not abs(shares.sum() - 1) <= ROUNDING * count:
        example = "0.7,0.3" if count == 2 else "0.5,0.3,0.2"
        detail = f"these are {counted(count, 'number')} from 0 that sum to 1, as {example}"
        raise InputError("invalid-request", detail, ("--weights",))
    return np.asarray(shares / shares.sum())


def _labels(corpora: Path | None, pairs: int) -> Labels:
    if corpora is None:
        return Labels.single(pairs)
    labels = read_labels(corpora)
    check_rows(corpora, len(labels), pairs)
    return labels
