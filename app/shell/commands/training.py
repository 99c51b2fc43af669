"""`assay train`: a predictor from labelled segments, several that share what they learn, or a metric from judgements."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.errors import InputError
from app.operations.operation import Json
from app.operations.train import TrainRequest, operation
from app.predictors.learners import LEARNER_NAMES
from app.predictors.learners.gp.tasks import TASK_SHARING
from app.shell.here import ModelsHere, settings_here
from app.shell.languages import languages, languages_of
from app.shell.metric_training import KINDS as METRIC_KINDS
from app.shell.metric_training import OBJECTIVES, MetricTraining, train_metric
from app.shell.output import Format, check_folder, print_json, print_rows, say
from app.shell.parameters import (
    Classes,
    Form,
    HigherIsBetter,
    Label,
    LabelColumn,
    LogProbs,
    LowerIsBetter,
    Range,
    Server,
    SetName,
    Tokens,
    Unit,
    number_option,
    option,
    refuse,
)
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scales import ScaleOptions, labels_of
from app.shell.segments import read_pairs, segments_of
from app.text.reading.tables import Table

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
MANY = typer.Option(help="PAIR=TABLE to learn from together, as tasks; repeat for more.")


@commands.command()
def train(
    file: Annotated[
        str | None,
        typer.Argument(
            help="Table with source, translation and labels (none with --feedback); of a metric: translation, reference, label, "
            "and group or system."
        ),
    ] = None,
    pair: Annotated[str | None, typer.Option(help="Language pair of a predictor, as ro-en.")] = None,
    label: Label = None,
    higher_is_better: HigherIsBetter = False,
    lower_is_better: LowerIsBetter = False,
    bounds: Range = None,
    classes: Classes = None,
    unit: Unit = None,
    kind: Annotated[str, typer.Option(help=f"What to train: predictor, or a metric: {', '.join(METRIC_KINDS)}.")] = "predictor",
    language: Annotated[str | None, typer.Option(help="Language of a metric's translations, as en.")] = None,
    template: Annotated[str | None, typer.Option(help="Features of a metric: a template's name or file.")] = None,
    objective: Annotated[str | None, typer.Option(help=f"What a metric is trained for: {', '.join(OBJECTIVES)}.")] = None,
    factored: Annotated[bool, typer.Option("--factored", help="A metric's texts are word|TAG.")] = False,
    unjudged: Annotated[
        str | None, typer.Option(help="Table for self-training of a metric: translation, other, reference.")
    ] = None,
    stem: Annotated[str | None, typer.Option(help="Language of the stemmer of a metric's word matching.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write; models/ID in the data folder otherwise.")] = None,
    label_column: LabelColumn = None,
    learner: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(LEARNER_NAMES)}, with options as gp|kernel:matern52|inducing:0; gp or the base's otherwise."
        ),
    ] = None,
    set_name: SetName = None,
    held_out: Annotated[str | None, typer.Option(help="Table to choose and calibrate on; a share of the rows otherwise.")] = None,
    held_out_share: Annotated[
        float | None, number_option(TrainRequest, "held_out_share", "That share; a fifth otherwise.", shares=True)
    ] = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    held_out_log_probs: LogProbs = None,
    held_out_tokens: Tokens = None,
    also: Annotated[list[str] | None, MANY] = None,
    task_column: Annotated[str | None, typer.Option(help="Column whose values are tasks: annotators, systems, domains.")] = None,
    sharing: Annotated[str | None, typer.Option(help=f"How tasks share: {', '.join(TASK_SHARING)}; combined otherwise.")] = None,
    rank: Annotated[int | None, option(TrainRequest, "rank", about="Columns of W where tasks share by rank; 1 otherwise.")] = None,
    base: Annotated[str | None, typer.Option(help="Model whose next version this becomes.")] = None,
    method: Annotated[
        str | None, typer.Option(help="How, from a base: retrain, adapt, or auto, which chooses by the rows.")
    ] = None,
    feedback: Annotated[bool, typer.Option("--feedback", help="Learn from the feedback that the server keeps, too.")] = False,
    promote: Annotated[
        str | None, typer.Option(help="by-hand, or if-better: the next version answers once significantly better.")
    ] = None,
    curve: Annotated[bool, option(TrainRequest, "curve", "--curve")] = False,
    name: Annotated[str | None, typer.Option(help="Model id.")] = None,
    data_name: Annotated[str | None, typer.Option(help="What the card calls the rows; the file's name otherwise.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the model, for its card; private otherwise.")] = None,
    seed: Annotated[int | None, option(TrainRequest, "seed", about="Seed of whatever is drawn; 12345 otherwise.")] = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Train a predictor on labelled segments, or a metric on judged translations. Killed, it goes on where it was."""
    if out is not None:
        check_folder(out.parent, "--out")
    of_predictors = {
        "--pair": pair, "--label": label, "--learner": learner, "--feature-set": set_name, "--held-out": held_out,
        "--held-out-share": held_out_share, "--log-probs": log_probs, "--tokens": tokens,
        "--held-out-log-probs": held_out_log_probs, "--held-out-tokens": held_out_tokens, "--also": also,
        "--task-column": task_column, "--sharing": sharing, "--rank": rank, "--base": base, "--method": method,
        "--feedback": feedback, "--promote": promote, "--curve": curve, "--data-name": data_name,
        "--unit": unit, "--classes": classes, "--range": bounds,
        "--higher-is-better": higher_is_better, "--lower-is-better": lower_is_better,
    }  # fmt: skip
    of_metrics = {
        "--language": language, "--template": template, "--objective": objective, "--factored": factored,
        "--unjudged": unjudged, "--stem": stem,
    }  # fmt: skip
    if kind != "predictor":
        refuse({"--server": server}, "metrics are trained here; leave --server out")
        refuse(of_predictors, "this is of predictors; --kind asks for a metric")
        train_metric(
            MetricTraining(
                kind, file, language, label_column, name, out, template, objective, factored=factored, unjudged=unjudged,
                stem=stem, licence=licence or "private", seed=12345 if seed is None else seed,
            )
        )  # fmt: skip
        return
    refuse(of_metrics, "this is of metrics; name one with --kind")
    if server is not None:
        refuse({"--out": out}, "a server keeps what it trains in its own folder; leave --out or --server out")
    if held_out is None:
        refuse(
            {"--held-out-log-probs": held_out_log_probs, "--held-out-tokens": held_out_tokens}, "there is no --held-out beside it"
        )
    needed = {"a table (or --feedback)": file is not None or feedback, "--pair": pair or file, "--label": label}
    missing = [what for what, there in needed.items() if not there]
    if label is None or missing:
        raise InputError("invalid-request", f"a predictor needs {' and '.join(missing)}")
    table = read_pairs([file], log_probs, tokens, pair=pair) if file else Table({})
    held_out_table = read_pairs([held_out], held_out_log_probs, held_out_tokens, pair=pair) if held_out else None
    request = make_request(
        TrainRequest,
        **languages_of(table, pair, server),
        label=label,
        scale=ScaleOptions(higher_is_better, lower_is_better, bounds, classes, unit).fields(),
        feature_set=set_name,
        learner=learner,
        base=base,
        method=method,
        feedback=feedback,
        promote=promote,
        sharing=sharing,
        rank=rank,
        held_out_share=held_out_share,
        seed=seed,
        curve=curve,
        segments=_labelled(table, file, label, label_column, task_column) if file else None,
        held_out=_labelled(held_out_table, held_out, label, label_column) if held_out and held_out_table is not None else None,
        others=[_other(spec, label, label_column) for spec in also] if also else None,
        name=name,
        licence=licence,
        data_name=data_name or (Path(file).name if file else None),
        held_out_name=Path(held_out).name if held_out else None,
    )
    answer = answer_to(operation, request, server, _models(out, together=bool(also or task_column)))
    _report(answer, form, by_rule=promote is not None)


def _labelled(table: Table, file: str, label: str, label_column: str | None, task_column: str | None = None) -> list[Json]:
    labels = labels_of(table, file, label, label_column)
    return segments_of(table, label=labels, task=table[task_column] if task_column else None)


def _other(spec: str, label: str, label_column: str | None) -> Json:
    pair, separator, path = spec.partition("=")
    if not separator:
        raise InputError("invalid-request", "--also is PAIR=TABLE, as et-en=file.tsv", ("--also",))
    return {**languages(pair), "segments": _labelled(read_pairs([path], pair=pair), path, label, label_column)}


def _models(out: Path | None, together: bool) -> ModelsHere:
    """Where models go: a folder that is named holds one, or those of several tasks by their names."""
    root = settings_here().trained_models_dir
    if out is None:
        return ModelsHere(root)
    return ModelsHere(root, (lambda name: out / name) if together else (lambda name: out))


def _report(answer: dict[str, Any], form: Format, by_rule: bool) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    rows: list[Json] = []
    for model in answer.get("models", [answer]):
        measures = {k: v for k, v in model["accuracy"].items() if isinstance(v, int | float)}
        held = {f"held_{row['coverage']:.0%}": row["measured"] for row in model["accuracy"]["intervals"]}
        rows.append({"model": model["model"], **measures, **held})
    print_rows(rows, form)
    for point in answer.get("curve", ()):
        say("{rows} rows: Pearson {pearson:.3f}, MAE {mae:.3f}".format_map(point))
    # A version is always compared with its base, but to whoever asked for no promotion its absence says nothing.
    if by_rule and "promotion" in answer:
        say(f"promotion: {', '.join(f'{key} {value}' for key, value in answer['promotion'].items())}")
