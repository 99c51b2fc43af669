"""The tuned configuration of a system that was trained here."""

import json
from pathlib import Path
from typing import Final

from app.metrics import metric_named
from app.text.reading.lines import TextFile
from app.translation.building.chain import CONFIGURATION
from app.translation.building.loading import spans_of
from app.translation.building.steps import Counts, Step, Steps, replace_text
from app.translation.building.text import SOURCE, TARGET, write_pairs
from app.translation.moses_ini import read_moses_ini
from app.translation.system import load_parts
from app.translation.tuning.rounds import Round, RoundOptions, tune_by_rounds
from app.tuning import Weights, parse_method
from app.tuning.moses_weights import dense_lines, read_moses_weights, with_weights

__all__ = ["tune_system", "write_configuration"]

WEIGHTS: Final = "weights.txt"
ROUNDS: Final = "rounds.json"


def tune_system(
    steps: Steps, untuned: Path, source: Path, target: Path, lowercase: bool, metric: str, options: RoundOptions
) -> Path:
    """Tune the system of `untuned` in the folder of the steps on a development set; its configuration.

    Translated rounds are kept while it works. InputError as of the texts, the method or the metric.
    """
    parse_method(options.method)
    measure = metric_named(metric)
    folder = steps.folder
    steps.run(
        Step(
            "development",
            {"source": source, "target": target},
            {"lowercase": lowercase},
            lambda aside: write_pairs(source, target, aside, lowercase, None),
        )
    )
    source, target = folder / "development" / SOURCE, folder / "development" / TARGET

    def watch(number: int, done: Round) -> None:
        steps.say(f"  round {number}: {metric} {done.score:.2f}, {done.new:,} new hypotheses")

    def work(aside: Path) -> Counts:
        sources = list(TextFile.of(source).lines())
        references = [list(TextFile.of(target).lines())]
        parts = load_parts(untuned, spans_of(sources, read_moses_ini(untuned).limits.phrase_length))
        tuned = tune_by_rounds(parts, sources, references, measure, options, steps.partial("tuning"), watch)
        (aside / WEIGHTS).write_text(dense_lines(parts.names, tuned.best.weights), "utf-8")
        rounds = [{"score": one.score, "new": one.new, "weights": one.weights.tolist()} for one in tuned.rounds]
        text = json.dumps({"converged": tuned.converged, "features": parts.names, "rounds": rounds}, indent=1)
        (aside / ROUNDS).write_text(text + "\n", "utf-8")
        first, best = tuned.rounds[0].score, tuned.best.score
        return {"rounds": len(rounds) - 1, f"{metric} before": round(first, 2), f"{metric} after": round(best, 2)}

    settings = {
        "method": options.method,
        "metric": metric,
        "seed": options.seed,
        "rounds": options.rounds,
        "list length": options.list_length,
        "limits": None if options.limits is None else vars(options.limits),
    }
    files = {path.name: path for name in ("tables", "model") for path in sorted((folder / name).iterdir())}
    inputs = {"source": source, "target": target, "configuration": untuned, **files}
    steps.run(Step("tuning", inputs, settings, work, resumable=True))
    weights = read_moses_weights((folder / "tuning" / WEIGHTS).read_bytes(), name=WEIGHTS)
    return write_configuration(folder, untuned, weights)


def write_configuration(folder: Path, untuned: Path, weights: Weights | None = None) -> Path:
    """Write the configuration that translates: the untuned one, with these weights if any are given."""
    raw = untuned.read_bytes()
    text = (raw if weights is None else with_weights(raw, weights, untuned.name)).decode("utf-8")
    path = folder / CONFIGURATION
    if not path.exists() or path.read_text("utf-8") != text:
        replace_text(path, text)
    return path
