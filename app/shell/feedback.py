"""`assay feedback`, `promote`, `rollback` and `select-features`: what keeps models up to date."""

import shutil
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from app.errors import InputError
from app.predictors.journal import ProgressJournal
from app.predictors.training import TrainingSet, split_held_out
from app.predictors.training.selection import METHODS, select_features
from app.resources.manifest import checksum
from app.shell.inputs import read_pairs
from app.shell.output import Format, print_json, print_rows, progress_bar, say
from app.shell.resuming import resumed_features
from app.shell.segments import LogProbs, Pair, Tokens, request_body, segments_of
from app.shell.serving import Form
from app.shell.session import call_server, engine_here, settings_here

__all__ = ["register"]

Server = Annotated[str, typer.Option(help="The server that keeps it.")]
HERE = "http://127.0.0.1:8000"
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
# Judgements sent at once.
BATCH = 500


def feedback(
    file: Annotated[str, typer.Argument(help="Table with source, translation, and post_edit or score.")],
    pair: Pair,
    model: Annotated[str | None, typer.Option(help="The model that was answered to.")] = None,
    label: Annotated[str | None, typer.Option(help="What scores are, where no model says it.")] = None,
    origin: Annotated[str, typer.Option(help="Who or what it comes from.")] = "",
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = HERE,
    form: Form = Format.TEXT,
) -> None:
    """Send post-edits or scores to a server, from which the next version of a model learns."""
    table = read_pairs([file], log_probs, settings_here().max_segment_characters, tokens)
    edited = "post_edit" in table.columns
    if not edited and "score" not in table.columns:
        raise InputError("invalid-table", f"{file} needs a column post_edit or score")
    body = request_body(segments_of(pair, table), model=model, label=label, origin=origin)
    cells: list[Any] = list(table["post_edit"]) if edited else list(table.numbers("score"))
    for row, value in zip(body["segments"], cells, strict=True):
        row["post_edit" if edited else "score"] = value
    rows = body.pop("segments")
    kept: list[dict[str, Any]] = []
    for begin in range(0, len(rows), BATCH):
        kept += call_server(server, "POST", "/v1/feedback", {**body, "segments": rows[begin : begin + BATCH]})["feedback"]
    if form is Format.JSON:
        print_json({"accepted": len(kept), "feedback": kept})
    else:
        mean = sum(each["value"] for each in kept) / len(kept)
        print_rows([{"label": kept[0]["label"], "accepted": len(kept), "mean": mean, "unit": kept[0]["unit"]}], form)


def promote(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: Server = HERE) -> None:
    """Let this model answer for its language pair and label."""
    print_json(call_server(server, "POST", f"/v1/models/{model}/promote", {"reason": reason}))


def rollback(model: Annotated[str, typer.Argument(help="Model id.")], reason: Reason = "", server: Server = HERE) -> None:
    """Return to what answered before this model was promoted."""
    print_json(call_server(server, "POST", f"/v1/models/{model}/rollback", {"reason": reason}))


def choose_features(
    file: Annotated[str, typer.Argument(help="Table with source, translation and labels.")],
    pair: Pair,
    label: Annotated[str, typer.Option(help="What the labels are: hter, da, effort, likert or time.")],
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "relevance",
    set_name: Annotated[str | None, typer.Option("--feature-set", help="The set to choose from.")] = None,
    label_column: Annotated[str, typer.Option(help="Column of the labels.")] = "label",
    learner: Annotated[str, typer.Option(help="What measures the accuracy of a choice.")] = "gp|inducing:100",
    plot: Annotated[Path | None, typer.Option(help="SVG file of accuracy against number of features.")] = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    seed: int = 12345,
    form: Form = Format.TEXT,
) -> None:
    """Rank features, and measure accuracy against their number."""
    table = read_pairs([file], log_probs, settings_here().max_segment_characters, tokens)
    sent, gold = segments_of(pair, table), np.array(table.numbers(label_column), np.float64)
    engine = engine_here()
    chosen = set_name or engine.default_feature_set(sent.sent, len(sent))
    ids, values, work = resumed_features(engine, sent, chosen, settings_here().trained_models_dir)
    train, held_out = split_held_out(TrainingSet(values, gold, Path(file).name, checksum(Path(file))), 0.3, seed)
    with progress_bar("ranking") as progress:
        curve = select_features(train, held_out, pair, label, ids, method, learner, seed, ProgressJournal(progress))
    shutil.rmtree(work, ignore_errors=True)
    points = [dict(point.__dict__) for point in curve.points]
    if plot is not None:
        # The pages, and what draws for them, take a second to import.
        from app.web.charts import curve_svg

        plot.write_text(curve_svg([(row["features"], row["test_pearson"]) for row in points], curve.chosen), encoding="utf-8")
        say(f"wrote {plot}")
    if form is Format.JSON:
        worth = [{"feature": name, "worth": float(value)} for name, value in zip(curve.ranking, curve.worth, strict=True)]
        print_json({"method": method, "chosen": curve.chosen, "ranking": worth, "points": points})
        return
    print_rows(points, form)
    say(f"{curve.chosen} features: {' '.join(curve.ranking[: curve.chosen])}")


def register(program: typer.Typer) -> None:
    """Add the commands."""
    for command in (feedback, promote, rollback):
        program.command()(command)
    program.command("select-features")(choose_features)
