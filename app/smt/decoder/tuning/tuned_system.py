"""Configurations with tuned weights, for trained systems and for any others."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.building.chain import CONFIGURATION
from app.smt.decoder.building.steps import CachedStep, CachedSteps, Counts, replace_text
from app.smt.decoder.building.text import SOURCE, TARGET, write_pairs
from app.smt.decoder.decoder import check_sentence
from app.smt.decoder.moses_ini import MosesIni, read_moses_ini
from app.smt.decoder.sampling.tuner import SamplingOptions, tune_by_sampling
from app.smt.decoder.sparse.weight_file import with_weight_file
from app.smt.decoder.system import SystemParts, load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.methods import BY_CHAINS, check_method, parse_decoder_method
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.decoder.word_lattices.options import input_scores
from app.smt.decoder.word_lattices.reading import parse_plf
from app.smt.tuning.moses_weights import dense_lines, read_moses_weights, with_weights
from app.smt.tuning.weights import FeatureWeights
from app.text.reading.lines import TextFile, side_by_side
from app.text.reading.moses_n_best import number_of
from app.text.tokenisation import tokens_of

__all__ = ["check_tunable", "check_weight_file", "tune_configuration", "tune_system", "tuned_files", "write_configuration"]

WEIGHTS: Final = "weights.txt"
ROUNDS: Final = "rounds.json"
SPARSE_WEIGHTS: Final = ".sparse-weights"
# Texts about the counts of a round.
COUNT_TEXTS: Final = {
    "new": "{:,} new hypotheses",
    "updates": "{:,} corrections",
    "log_likelihood": "log-likelihood of a sentence {:.3f}",
}


def tune_system(
    steps: CachedSteps, untuned_config: Path, source: Path, target: Path, lowercase: bool, metric: str, options: RoundOptions
) -> Path:
    """Tune the system of `untuned_config` on a development set, and return its configuration in the folder of the steps.

    Lists of rounds are kept until tuning ends. InputError as of the texts, the method or the metric.
    """

    def work(folder: Path) -> Counts:
        return write_pairs(source, target, folder, lowercase, None)

    steps.run(CachedStep("development", {"source": source, "target": target}, {"lowercase": lowercase}, work))
    folder = steps.folder / "development"
    weights = tune_configuration(steps, untuned_config, folder / SOURCE, [folder / TARGET], metric, options)
    return write_configuration(steps.folder, untuned_config, weights)


def tune_configuration(
    steps: CachedSteps, config: Path, source: Path, references: Sequence[Path], metric: str, options: RoundOptions
) -> FeatureWeights:
    """Tune weights that translate `source` best, given its references, in a resumable step ``tuning``.

    InputError for lattices in `source` with a method that makes no lists.
    """
    check_method(options.method)
    if options.lattices and (options.method == BY_CHAINS or parse_decoder_method(options.method) is not None):
        detail = f"{options.method} translates texts, and the source is lattices; take a method on lists, as mira"
        raise InputError("invalid-tuning", detail, ("--method",))
    measure = metric_named(metric)

    def watch(number: int, outcome: TuningPass) -> None:
        counts = [COUNT_TEXTS[name].format(value) for name, value in outcome.counts.items() if value is not None]
        steps.say(f"  round {number}: {', '.join([f'{metric} {outcome.score:.2f}', *counts])}")

    def work(folder: Path) -> Counts:
        columns = [TextFile.of(path).lines() for path in (source, *references)]
        rows = list(side_by_side([path.name for path in (source, *references)], columns))
        if not rows:
            raise InputError("empty-input", f"{source.name} is empty; write one sentence a line", (source.name,))
        sources, *texts = ([row[side] for row in rows] for side in range(len(columns)))
        scores = input_scores(read_moses_ini(config)) if options.lattices else 0
        for line, sentence in enumerate(sources, 1):
            if options.lattices:
                parse_plf(sentence, scores, source.name, line)
            else:
                check_sentence(sentence, source.name, line)
        # Paths of lattices have too many phrases to list.
        parts = load_parts(config, None if options.lattices else TextPhrases(tokens_of(line) for line in sources))
        result: TuningPasses[Any]
        if options.method == BY_CHAINS:
            sampling = SamplingOptions(epochs=options.rounds, seed=options.seed, limits=options.limits)
            result = tune_by_sampling(parts, sources, texts, measure, sampling, watch)
        elif (decoder_method := parse_decoder_method(options.method)) is not None:
            method, values = decoder_method
            result = method.tune(parts, sources, texts, measure, values, options.rounds, options.seed, options.limits, watch)
        else:
            result = tune_by_rounds(parts, sources, texts, measure, options, steps.partial("tuning"), watch)
        return _write(folder, metric, parts, result)

    settings = {
        "method": options.method,
        "metric": metric,
        "seed": options.seed,
        "rounds": options.rounds,
        "list length": options.list_length,
        "step": options.step,
        "from": "best",
        "jumps": "never paid for",
        "limits": None if options.limits is None else vars(options.limits),
        **({"lattices": True} if options.lattices else {}),
    }
    texts = {f"reference {number}": path for number, path in enumerate(references, 1)}
    inputs = {"source": source, **texts, "configuration": config, **_files(read_moses_ini(config))}
    steps.run(CachedStep("tuning", inputs, settings, work, resumable=True))
    return read_moses_weights((steps.folder / "tuning" / WEIGHTS).read_bytes(), name=WEIGHTS)


def _write(folder: Path, metric: str, parts: SystemParts, result: TuningPasses[Any]) -> Counts:
    """Write the best weights, and a report with the results of every round; the first has the initial weights."""
    # More sparse features may have appeared later.
    names = parts.names[: len(result.best.weights)]
    (folder / WEIGHTS).write_text(dense_lines(names, result.best.weights), "utf-8")
    records = [{"score": row.score, **row.counts, "weights": row.weights.tolist()} for row in result.passes]
    report = {"features": parts.names, **result.notes, "rounds": records}
    (folder / ROUNDS).write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    scores = {f"{metric} {name}": round(row.score, 2) for name, row in (("before", result.passes[0]), ("after", result.best))}
    return {"rounds": len(records) - 1, **scores}


def _files(ini: MosesIni) -> Mapping[str, Path]:
    files = {name if parameter == "path" else f"{name} {parameter}": path for (name, parameter), path in ini.files.items()}
    return files if ini.weight_file is None else {**files, "weight-file": ini.weight_file}


def check_tunable(config: Path, out: Path) -> None:
    """Raise InputError if a configuration at `out` with other weights would lack a weight or lose its files."""
    check_weight_file(config, out)
    ini = read_moses_ini(config)
    weights_in_file = read_moses_weights(config.read_bytes(), name=config.name).values
    missing = [feature for feature in ini.features if feature.weights and feature.name not in weights_in_file]
    if missing:
        name, row = missing[0].name, " ".join(f"{weight:g}" for weight in missing[0].weights)
        raise InputError(
            "missing-weights", f"{config.name} has no weight of {name}; write {name}= {row} into its [weight]", (config.name,)
        )
    if ini.folder.resolve() == out.parent.resolve():
        return
    for (name, parameter), path in ini.files.items():
        path_in_text = next(feature.parameters[parameter] for feature in ini.features if feature.name == name)
        if not Path(path_in_text).is_absolute() and path.parent == (ini.folder / path_in_text).parent:
            detail = (
                f"{config.name} names the file of {name} relative to its folder; write the tuned configuration into this folder"
            )
            raise InputError("invalid-request", detail, ("--out",))


def write_configuration(folder: Path, untuned_config: Path, weights: FeatureWeights | None = None) -> Path:
    """Write the configuration for translation: `untuned_config` with these weights, if there are any."""
    path = folder / CONFIGURATION
    if weights is None:
        path.with_suffix(SPARSE_WEIGHTS).unlink(missing_ok=True)
    texts = {path: untuned_config.read_text("utf-8")} if weights is None else tuned_files(untuned_config, weights, path)
    for file, text in texts.items():
        if not file.exists() or file.read_text("utf-8") != text:
            replace_text(file, text)
    return path


def check_weight_file(config: Path, out: Path) -> None:
    """Raise InputError if sparse weights of a configuration at `out` would replace those of another one."""
    weight_file, new_weight_file = read_moses_ini(config).weight_file, out.with_suffix(SPARSE_WEIGHTS)
    if weight_file is not None and weight_file.resolve() == new_weight_file.resolve() and config.resolve() != out.resolve():
        raise InputError(
            "invalid-request", f"{config.name} has its sparse weights in {new_weight_file.name}; name another file", ("--out",)
        )


def tuned_files(config: Path, weights: FeatureWeights, out: Path) -> Mapping[Path, str]:
    """Texts by path of a configuration at `out` with other weights, and of its file of sparse weights, if it has any."""
    text = with_weights(config.read_bytes(), weights, config.name).decode("utf-8", "surrogateescape")
    dense = {feature.name for feature in read_moses_ini(config).features if feature.weights}
    sparse = {name: row[0] for name, row in weights.values.items() if name not in dense}
    if not sparse:
        return {out: text}
    file = out.with_suffix(SPARSE_WEIGHTS)
    lines = "".join(f"{name} {number_of(weight)}\n" for name, weight in sparse.items() if weight)
    return {file: lines, out: with_weight_file(text, file.name)}
