"""`assay train`: a predictor from labelled segments, several that share what they learn, or a metric from judgements."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from app.arrays import Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.metrics.learnt.training import OBJECTIVES
from app.predictors import Model, save_model
from app.predictors.journal import ProgressJournal
from app.predictors.learners import LEARNER_NAMES, parse_learner
from app.predictors.learners.gp.tasks import TASK_SHARING
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.multi_task import Task, train_together
from app.registry.artifacts import LocalArtifacts
from app.registry.rows import ROWS_FILE, KeptRows, write_rows
from app.resources.manifest import checksum
from app.shell.inputs import read_pairs
from app.shell.metric_training import KINDS as METRIC_KINDS
from app.shell.metric_training import MetricTraining, train_metric
from app.shell.output import Format, print_json, print_rows, progress_bar, say
from app.shell.resuming import resumed_features
from app.shell.segments import LogProbs, Tokens, request_body, segments_of
from app.shell.serving import Form, Server
from app.shell.session import engine_here, settings_here
from app.text.tables import Table

__all__ = ["register"]


@dataclass(frozen=True)
class _Labelled:
    """A table as segments with labels, and what it is called."""

    sent: Segments
    gold: Float64s
    path: Path
    table: Table


def _read(pair: str, path: str, label_column: str, log_probs: str | None, tokens: str | None) -> _Labelled:
    table = read_pairs([path], log_probs, settings_here().max_segment_characters, tokens)
    return _Labelled(segments_of(pair, table), np.array(table.numbers(label_column), np.float64), Path(path), table)


def train(
    file: Annotated[
        str,
        typer.Argument(
            help="Table with source, translation and labels; of a metric: translation, reference, label, and group or system."
        ),
    ],
    pair: Annotated[str | None, typer.Option(help="Language pair of a predictor, as ro-en.")] = None,
    label: Annotated[str | None, typer.Option(help="What a predictor's labels are: hter, da, effort, likert or time.")] = None,
    kind: Annotated[str, typer.Option(help=f"What to train: predictor, or a metric: {', '.join(METRIC_KINDS)}.")] = "predictor",
    language: Annotated[str | None, typer.Option(help="Language of a metric's translations, as en.")] = None,
    template: Annotated[str | None, typer.Option(help="Features of a metric: a template's name or file.")] = None,
    objective: Annotated[str | None, typer.Option(help=f"What a metric is trained for: {', '.join(OBJECTIVES)}.")] = None,
    factored: Annotated[bool, typer.Option("--factored", help="A metric's texts are word|TAG.")] = False,
    unjudged: Annotated[str | None, typer.Option(help="Table for self-training: translation, other, reference.")] = None,
    stem: Annotated[str | None, typer.Option(help="Language of the stemmer of a metric's word matching.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write; models/ID in the data folder otherwise.")] = None,
    label_column: Annotated[str, typer.Option(help="Column of the labels.")] = "label",
    learner: Annotated[
        str, typer.Option(help=f"One of {', '.join(LEARNER_NAMES)}, with options as gp|kernel:matern52|inducing:0.")
    ] = "gp",
    set_name: Annotated[str | None, typer.Option("--feature-set", help="The largest that fits otherwise.")] = None,
    held_out: Annotated[str | None, typer.Option(help="Table to choose and calibrate on; a random fifth otherwise.")] = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    held_out_log_probs: LogProbs = None,
    held_out_tokens: Tokens = None,
    also: Annotated[
        list[str] | None,
        typer.Option(help="PAIR=TABLE to learn from together, as tasks; repeat for more."),
    ] = None,
    task_column: Annotated[str | None, typer.Option(help="Column whose values are tasks: annotators, systems, domains.")] = None,
    sharing: Annotated[str, typer.Option(help=f"How tasks share: {', '.join(TASK_SHARING)}.")] = "combined",
    rank: Annotated[int, typer.Option(min=1, max=10, help="Columns of W where tasks share by rank.")] = 1,
    name: Annotated[str | None, typer.Option(help="Model id.")] = None,
    licence: Annotated[str, typer.Option(help="Licence of the model, for its card.")] = "private",
    seed: int = 12345,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Train a predictor on labelled segments, or a metric on judged translations. Killed, it goes on where it was."""
    if kind != "predictor":
        train_metric(
            MetricTraining(
                kind, file, language, label_column, name, out, template, objective,
                factored=factored, unjudged=unjudged, stem=stem, licence=licence, seed=seed,
            )
        )  # fmt: skip
        return
    if pair is None or label is None:
        raise InputError("invalid-request", "a predictor needs --pair and --label")
    parse_learner(learner)
    labelled = _read(pair, file, label_column, log_probs, tokens)
    if server:
        _train_there(server, labelled, label, learner, set_name, seed)
        return
    engine = engine_here()
    chosen = set_name or engine.default_feature_set(labelled.sent.sent, len(labelled.sent))
    if also or task_column:
        others = [_read(*_named(each), label_column, None, None) for each in also or ()]
        models = _train_tasks(engine, [labelled, *others], chosen, label, task_column, sharing, rank, licence, seed)
        for each in models.values():
            _write(each, None, (out or settings_here().trained_models_dir) / each.card.id)
        _report(list(models.values()), form)
        return
    ids, values, work = resumed_features(engine, labelled.sent, chosen, settings_here().trained_models_dir)
    whole = TrainingSet(values, labelled.gold, labelled.path.name, checksum(labelled.path))
    if held_out is None:
        training, held = split_held_out(whole, 0.2, seed)
    else:
        apart = _read(pair, held_out, label_column, held_out_log_probs, held_out_tokens)
        _, values, _ = resumed_features(engine, apart.sent, chosen, settings_here().trained_models_dir)
        training, held = whole, TrainingSet(values, apart.gold, apart.path.name, checksum(apart.path))
    with progress_bar("training") as progress:
        model = train_model(
            training, held, pair, label, chosen, ids, learner, licence, seed, model_id=name,
            journal=ProgressJournal(progress),
        )  # fmt: skip
    rows = KeptRows(tuple(ids), whole.values, {label: whole.labels})
    _write(model, rows, out or settings_here().trained_models_dir / model.card.id)
    shutil.rmtree(work, ignore_errors=True)
    _report([model], form)


def _named(spec: str) -> tuple[str, str]:
    pair, separator, path = spec.partition("=")
    if not separator:
        raise InputError("invalid-request", "--also is PAIR=TABLE, as et-en=file.tsv")
    return pair, path


def _train_there(server: str, labelled: _Labelled, label: str, learner: str, set_name: str | None, seed: int) -> None:
    from app.shell.jobs import submit_and_wait

    body = request_body(labelled.sent, label=label, learner=learner, feature_set=set_name, seed=seed)
    for row, value in zip(body["segments"], labelled.gold, strict=True):
        row["label"] = float(value)
    print_json(submit_and_wait(server, "train", body)["summary"])


def _train_tasks(
    engine: Engine,
    tables: list[_Labelled],
    set_name: str,
    label: str,
    task_column: str | None,
    sharing: str,
    rank: int,
    licence: str,
    seed: int,
) -> dict[str, Model]:
    """One model per pair, or per value of a column of the first table."""
    folder = settings_here().trained_models_dir
    found = [resumed_features(engine, each.sent, set_name, folder) for each in tables]
    shared = [name for name in found[0][0] if all(name in ids for ids, _, _ in found)]
    tasks: list[Task] = []
    for each, (ids, values, _) in zip(tables, found, strict=True):
        columns = np.array([ids.index(name) for name in shared])
        whole = TrainingSet(values[:, columns], each.gold, each.path.name, checksum(each.path))
        pair = str(each.sent.pair)
        if task_column is None:
            tasks.append(Task(pair, pair, *split_held_out(whole, 0.2, seed)))
            continue
        cells = np.array(each.table[task_column])
        for task in sorted(set(cells.tolist())):
            rows = np.flatnonzero(cells == task)
            tasks.append(Task(task, pair, *split_held_out(whole.select(rows, f"{each.path.name}, {task}"), 0.2, seed)))
    with progress_bar("training") as progress:
        models = train_together(
            tasks, label, set_name, shared, sharing, rank, licence=licence, seed=seed, journal=ProgressJournal(progress)
        )
    for _, _, work in found:
        shutil.rmtree(work, ignore_errors=True)
    return models


def _write(model: Model, rows: KeptRows | None, folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise InputError("invalid-request", f"{folder} exists already; name another with --out or --name")

    def write(unfinished: Path) -> None:
        save_model(model, unfinished)
        if rows is not None:
            write_rows(unfinished / ROWS_FILE, rows)

    # An empty folder is as good as none.
    LocalArtifacts(folder.parent).save(folder.name, write, replace=True)
    say(f"wrote {folder}")


def _report(models: list[Model], form: Format) -> None:
    if form is Format.JSON:
        answers = [{"model": each.card.id, "label": each.card.label, "accuracy": dict(each.card.accuracy)} for each in models]
        print_json(answers[0] if len(answers) == 1 else {"models": answers})
        return
    rows: list[dict[str, Any]] = []
    for each in models:
        measures = {k: v for k, v in each.card.accuracy.items() if isinstance(v, int | float)}
        held = {f"held_{row['coverage']:.0%}": row["measured"] for row in each.card.accuracy["intervals"]}
        rows.append({"model": each.card.id, **measures, **held})
    print_rows(rows, form)


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(train)
