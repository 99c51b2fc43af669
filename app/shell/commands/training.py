"""`assay train`: a predictor from labelled segments, several that share what they learn, or a metric from judgements."""

from pathlib import Path
from typing import Any

from app.errors import InputError
from app.operations.operation import Json
from app.operations.train import TrainRequest, operation
from app.shell.declaration.files import check_folder
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.here import ModelsHere, data_settings, settings_here
from app.shell.languages import languages, languages_of
from app.shell.metric_training import MetricTraining, train_metric
from app.shell.options.training import TrainOptions
from app.shell.output import print_json, print_rows, say, say_default
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scales import ScaleOptions, labels_of
from app.shell.segments import decoder_columns, read_pairs, segments_of
from app.text.reading.tables import Table

__all__ = ["train"]


def train(options: TrainOptions) -> None:
    """Train a predictor on labelled segments, or a metric on judged translations. Killed, it goes on where it was."""
    if options.out is not None:
        check_folder(options.out.parent, "--out")
    of_predictors = {
        "--pair": options.pair,
        "--label": options.label,
        "--learner": options.learner,
        "--feature-set": options.set_name,
        "--held-out": options.held_out,
        "--held-out-share": options.held_out_share,
        "--log-probs": options.log_probs,
        "--tokens": options.tokens,
        "--held-out-log-probs": options.held_out_log_probs,
        "--held-out-tokens": options.held_out_tokens,
        "--n-best": options.n_best,
        "--moses-log": options.moses_log,
        "--search-graph": options.search_graph,
        "--also": options.also,
        "--task-column": options.task_column,
        "--sharing": options.sharing,
        "--documents": options.documents,
        "--rank": options.rank,
        "--base": options.base,
        "--method": options.method,
        "--feedback": options.feedback,
        "--promote": options.promote,
        "--curve": options.curve,
        "--data-name": options.data_name,
        "--unit": options.unit,
        "--classes": options.classes,
        "--range": options.bounds,
        "--higher-is-better": options.higher_is_better,
        "--lower-is-better": options.lower_is_better,
    }
    of_metrics = {
        "--language": options.language,
        "--template": options.template,
        "--objective": options.objective,
        "--factored": options.factored,
        "--unjudged": options.unjudged,
        "--stem": options.stem,
        "--tables": options.tables,
    }
    if options.kind != "predictor":
        refuse({"--server": options.server}, "metrics are trained here; leave --server out")
        refuse(of_predictors, "this is of predictors; --kind asks for a metric")
        train_metric(
            MetricTraining(
                options.kind,
                options.file,
                options.language,
                options.label_column,
                options.name,
                options.out,
                options.template,
                options.objective,
                factored=options.factored,
                unjudged=options.unjudged,
                stem=options.stem,
                tables=options.tables,
                licence=options.licence or "private",
                seed=12345 if options.seed is None else options.seed,
            )
        )
        return
    refuse(of_metrics, "this is of metrics; name one with --kind")
    if options.server is not None:
        refuse({"--out": options.out}, "a server keeps what it trains in its own folder; leave --out or --server out")
    if options.held_out is None:
        refuse(
            {"--held-out-log-probs": options.held_out_log_probs, "--held-out-tokens": options.held_out_tokens},
            "there is no --held-out beside it",
        )
    requirements = {
        "a table (or --feedback)": options.file is not None or options.feedback,
        "--pair": options.pair or options.file,
        "--label": options.label,
    }
    missing = [name for name, is_present in requirements.items() if not is_present]
    if options.label is None or missing:
        raise InputError("invalid-request", f"a predictor needs {' and '.join(missing)}")
    decoder_files = decoder_columns(options)
    if decoder_files:
        further_rows = {"--feedback": options.feedback, "--also": options.also, "--held-out": options.held_out}
        refuse(further_rows, "the files of a decoder describe the rows of one table; leave this out")
    table = read_pairs([options.file], options.log_probs, options.tokens, pair=options.pair) if options.file else Table({})
    held_out_table = (
        read_pairs([options.held_out], options.held_out_log_probs, options.held_out_tokens, pair=options.pair)
        if options.held_out
        else None
    )
    request = make_request(
        TrainRequest,
        **languages_of(table, options.pair, options.server),
        label=options.label,
        scale=ScaleOptions(
            options.higher_is_better, options.lower_is_better, options.bounds, options.classes, options.unit
        ).fields(),
        feature_set=options.set_name,
        learner=options.learner,
        base=options.base,
        method=options.method,
        feedback=options.feedback,
        promote=options.promote,
        sharing=options.sharing,
        documents=options.documents,
        rank=options.rank,
        held_out_share=options.held_out_share,
        seed=options.seed,
        curve=options.curve,
        segments=_labelled(table, options, options.file, options.task_column, decoder_files) if options.file else None,
        held_out=_labelled(held_out_table, options, options.held_out) if options.held_out and held_out_table is not None else None,
        others=[_further_task(spec, options) for spec in options.also] if options.also else None,
        name=options.name,
        licence=options.licence,
        data_name=options.data_name or (Path(options.file).name if options.file else None),
        held_out_name=Path(options.held_out).name if options.held_out else None,
    )
    answer = answer_to(
        operation, request, options.server, _models(options.out, has_several=bool(options.also or options.task_column))
    )
    _report(answer, options.form, by_rule=options.promote is not None)


def _labelled(
    table: Table, options: TrainOptions, file: str, task_column: str | None = None, columns: Json | None = None
) -> list[Json]:
    labels = labels_of(table, file, options.label, options.label_column)
    documents = table["document"] if options.documents is not None else None
    tasks = table[task_column] if task_column else None
    return segments_of(table, label=labels, task=tasks, document=documents, **(columns or {}))


def _further_task(spec: str, options: TrainOptions) -> Json:
    pair, separator, path = spec.partition("=")
    if not separator:
        raise InputError("invalid-request", "--also is PAIR=TABLE, as et-en=file.tsv", ("--also",))
    return {**languages(pair), "segments": _labelled(read_pairs([path], pair=pair), options, path)}


def _models(out: Path | None, has_several: bool) -> ModelsHere:
    """Store of trained models: `out` is the folder of one model, or of several models by their names."""
    if out is None:
        return ModelsHere(data_settings().trained_models_dir)
    return ModelsHere(settings_here().trained_models_dir, (lambda name: out / name) if has_several else (lambda name: out))


def _report(answer: dict[str, Any], form: Format, by_rule: bool) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    rows: list[Json] = []
    for model in answer.get("models", [answer]):
        measures = {k: v for k, v in model["accuracy"].items() if isinstance(v, int | float)}
        coverages = {f"held_{row['coverage']:.0%}": row["measured"] for row in model["accuracy"]["intervals"]}
        grades = {f"f1_{row['grade']:g}": "-" if row["f1"] is None else row["f1"] for row in model["accuracy"].get("grades", ())}
        rows.append({"model": model["model"], **measures, **grades, **coverages})
    print_rows(rows, form)
    for model in answer.get("models", [answer]):
        say_default(model)
    for point in answer.get("curve", ()):
        say("{rows} rows: Pearson {pearson:.3f}, MAE {mae:.3f}".format_map(point))
    # A version is always compared with its base, but to whoever asked for no promotion its absence says nothing.
    if by_rule and "promotion" in answer:
        say(f"promotion: {', '.join(f'{key} {value}' for key, value in answer['promotion'].items())}")
