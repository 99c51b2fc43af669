"""Configurations with tuned weights: of a system that was trained here, and of any other."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.metrics import metric_named
from app.smt.decoder.building.chain import CONFIGURATION
from app.smt.decoder.building.steps import Counts, Step, Steps, replace_text
from app.smt.decoder.building.text import SOURCE, TARGET, write_pairs
from app.smt.decoder.decoder import check_sentence
from app.smt.decoder.moses_ini import MosesIni, read_moses_ini
from app.smt.decoder.sampling.tuner import Epoch, SamplingOptions, tune_by_sampling
from app.smt.decoder.sparse.weight_file import with_weight_file
from app.smt.decoder.system import Parts, load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.fixing import Pass, fixing_settings, tune_by_fixing
from app.smt.decoder.tuning.likelihood import LIKELIHOOD, Climb, likelihood_settings, tune_by_likelihood
from app.smt.decoder.tuning.rounds import Round, RoundOptions, refuse_sparse, tune_by_rounds
from app.smt.tuning import Weights, parse_method
from app.smt.tuning.moses_weights import dense_lines, read_moses_weights, with_weights
from app.text.reading.lines import TextFile, side_by_side
from app.text.reading.moses_n_best import number_of
from app.text.tokenisation import tokens_of

__all__ = [
    "BY_CHAINS",
    "check_method",
    "check_tunable",
    "check_weight_file",
    "tune_configuration",
    "tune_system",
    "tuned_files",
    "write_configuration",
]

# The method that needs no lists: SampleRank with a decoder's operators.
BY_CHAINS: Final = "samplerank-decoder"

WEIGHTS: Final = "weights.txt"
ROUNDS: Final = "rounds.json"
SPARSE_WEIGHTS: Final = ".sparse-weights"


def tune_system(
    steps: Steps, untuned: Path, source: Path, target: Path, lowercase: bool, metric: str, options: RoundOptions
) -> Path:
    """Tune the system of `untuned` in the folder of the steps on a development set; its configuration.

    Translated rounds are kept while it works. InputError as of the texts, the method or the metric.
    """

    def work(folder: Path) -> Counts:
        return write_pairs(source, target, folder, lowercase, None)

    steps.run(Step("development", {"source": source, "target": target}, {"lowercase": lowercase}, work))
    folder = steps.folder / "development"
    weights = tune_configuration(steps, untuned, folder / SOURCE, [folder / TARGET], metric, options)
    return write_configuration(steps.folder, untuned, weights)


def check_method(method: str, sparse: bool = False) -> None:
    """InputError where weights of a decoder, or of one with sparse features, cannot be tuned by it."""
    climbs = likelihood_settings(method) is not None
    if method != BY_CHAINS and fixing_settings(method) is None and not climbs:
        parse_method(method)
    if sparse and climbs:
        detail = f"{LIKELIHOOD} has expectations of dense features alone; take mira or pro for sparse ones"
        raise InputError("invalid-tuning", detail, ("--method",))
    if sparse:
        refuse_sparse(method)


def tune_configuration(
    steps: Steps, config: Path, source: Path, references: Sequence[Path], metric: str, options: RoundOptions
) -> Weights:
    """Weights that translate `source` best towards its references; of a step ``tuning`` that goes on where it was killed."""
    check_method(options.method)
    measure = metric_named(metric)

    def watch(number: int, done: Round) -> None:
        steps.say(f"  round {number}: {metric} {done.score:.2f}, {done.new:,} new hypotheses")

    def watch_epoch(number: int, done: Epoch) -> None:
        steps.say(f"  epoch {number}: {metric} {done.score:.2f} of what was held out, {done.updates:,} updates")

    def watch_pass(number: int, done: Pass) -> None:
        steps.say(f"  pass {number}: {metric} {done.score:.2f}, {done.updates:,} sentences violated")

    def watch_climb(number: int, done: Climb) -> None:
        likelihood = "" if done.likelihood is None else f", log-likelihood of a sentence {done.likelihood:.3f}"
        steps.say(f"  pass {number}: {metric} {done.score:.2f}{likelihood}")

    def work(folder: Path) -> Counts:
        columns = [TextFile.of(path).lines() for path in (source, *references)]
        rows = list(side_by_side([path.name for path in (source, *references)], columns))
        if not rows:
            raise InputError("empty-input", f"{source.name} is empty; one sentence a line is expected", (source.name,))
        sources, *texts = ([row[side] for row in rows] for side in range(len(columns)))
        for line, sentence in enumerate(sources, 1):
            check_sentence(sentence, source.name, line)
        parts = load_parts(config, TextPhrases(tokens_of(line) for line in sources))
        if options.method == BY_CHAINS:
            sampling = SamplingOptions(epochs=options.rounds, seed=options.seed, limits=options.limits)
            sampled = tune_by_sampling(parts, sources, texts, measure, sampling, watch_epoch)
            made = [{"score": one.score, "updates": one.updates, "weights": one.weights.tolist()} for one in sampled.epochs]
            return _write(folder, metric, parts, {"rounds": made}, sampled.best)
        if (fixing := fixing_settings(options.method)) is not None:
            fixed = tune_by_fixing(parts, sources, texts, measure, fixing, options.rounds, options.seed, options.limits, watch_pass)
            made = [{"score": one.score, "updates": one.updates, "weights": one.weights.tolist()} for one in fixed.passes]
            return _write(folder, metric, parts, {"reachable": fixed.reachable, "rounds": made}, fixed.best)
        if (climbing := likelihood_settings(options.method)) is not None:
            likely = tune_by_likelihood(
                parts, sources, texts, measure, climbing, options.rounds, options.seed, options.limits, watch_climb
            )
            made = [
                {"score": one.score, "log_likelihood": one.likelihood, "weights": one.weights.tolist()} for one in likely.passes
            ]
            return _write(folder, metric, parts, {"reachable": likely.reachable, "rounds": made}, likely.best)
        tuned = tune_by_rounds(parts, sources, texts, measure, options, steps.partial("tuning"), watch)
        rounds = [{"score": one.score, "new": one.new, "weights": one.weights.tolist()} for one in tuned.rounds]
        return _write(folder, metric, parts, {"converged": tuned.converged, "rounds": rounds}, tuned.best)

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
    }
    texts = {f"reference {number}": path for number, path in enumerate(references, 1)}
    inputs = {"source": source, **texts, "configuration": config, **_files(read_moses_ini(config))}
    steps.run(Step("tuning", inputs, settings, work, resumable=True))
    return read_moses_weights((steps.folder / "tuning" / WEIGHTS).read_bytes(), name=WEIGHTS)


def _write(folder: Path, metric: str, parts: Parts, told: Mapping[str, Any], best: Round | Epoch | Pass | Climb) -> Counts:
    """Write the best weights and what every round came to, of which the first has the weights that were there."""
    # Sparse features may have come up since.
    names = parts.names[: len(best.weights)]
    (folder / WEIGHTS).write_text(dense_lines(names, best.weights), "utf-8")
    (folder / ROUNDS).write_text(json.dumps({"features": parts.names, **told}, indent=1) + "\n", "utf-8")
    before = round(told["rounds"][0]["score"], 2)
    return {"rounds": len(told["rounds"]) - 1, f"{metric} before": before, f"{metric} after": round(best.score, 2)}


def _files(ini: MosesIni) -> Mapping[str, Path]:
    files = {name if parameter == "path" else f"{name} {parameter}": path for (name, parameter), path in ini.files.items()}
    return files if ini.weight_file is None else {**files, "weight-file": ini.weight_file}


def check_tunable(config: Path, out: Path) -> None:
    """InputError where the same configuration with other weights, at `out`, would lack a weight or not find its files."""
    check_weight_file(config, out)
    ini = read_moses_ini(config)
    there = read_moses_weights(config.read_bytes(), name=config.name).values
    lacking = [feature for feature in ini.features if feature.weights and feature.name not in there]
    if lacking:
        name, row = lacking[0].name, " ".join(f"{weight:g}" for weight in lacking[0].weights)
        raise InputError(
            "missing-weights", f"{config.name} has no weight of {name}; write {name}= {row} into its [weight]", (config.name,)
        )
    if ini.folder.resolve() == out.parent.resolve():
        return
    for (name, parameter), path in ini.files.items():
        written = next(feature.parameters[parameter] for feature in ini.features if feature.name == name)
        if not Path(written).is_absolute() and path.parent == (ini.folder / written).parent:
            detail = f"{config.name} names the file of {name} from its own folder; write the tuned one beside it"
            raise InputError("invalid-request", detail, ("--out",))


def write_configuration(folder: Path, untuned: Path, weights: Weights | None = None) -> Path:
    """Write the configuration that translates: the untuned one, with these weights if any are given."""
    path = folder / CONFIGURATION
    if weights is None:
        path.with_suffix(SPARSE_WEIGHTS).unlink(missing_ok=True)
    texts = {path: untuned.read_text("utf-8")} if weights is None else tuned_files(untuned, weights, path)
    for file, text in texts.items():
        if not file.exists() or file.read_text("utf-8") != text:
            replace_text(file, text)
    return path


def check_weight_file(config: Path, out: Path) -> None:
    """InputError where the sparse weights of a configuration at `out` would be written over those of another one."""
    read, written = read_moses_ini(config).weight_file, out.with_suffix(SPARSE_WEIGHTS)
    if read is not None and read.resolve() == written.resolve() and config.resolve() != out.resolve():
        raise InputError(
            "invalid-request", f"{config.name} has its sparse weights in {written.name}; name another file", ("--out",)
        )


def tuned_files(config: Path, weights: Weights, out: Path) -> Mapping[Path, str]:
    """The files of a configuration with other weights at `out`: sparse ones beside it, if there are any, and the configuration."""
    text = with_weights(config.read_bytes(), weights, config.name).decode("utf-8", "surrogateescape")
    dense = {feature.name for feature in read_moses_ini(config).features if feature.weights}
    sparse = {name: row[0] for name, row in weights.values.items() if name not in dense}
    if not sparse:
        return {out: text}
    file = out.with_suffix(SPARSE_WEIGHTS)
    lines = "".join(f"{name} {number_of(weight)}\n" for name, weight in sparse.items() if weight)
    return {file: lines, out: with_weight_file(text, file.name)}
