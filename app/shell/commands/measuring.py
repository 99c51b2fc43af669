"""`assay evaluate`, `select` and `select-features`: how good predictors are, and what more they should learn from."""

from pathlib import Path
from typing import Any, Final

from app.operations.evaluate import EvaluateRequest
from app.operations.evaluate import operation as evaluate_operation
from app.operations.select import SelectRequest
from app.operations.select import operation as select_operation
from app.shell.declaration.files import check_file
from app.shell.declaration.forms import Format
from app.shell.feature_selection import FeatureSelection, selection_curve
from app.shell.languages import languages_of
from app.shell.models_of_systems import models_of
from app.shell.options.measuring import EvaluateOptions, ModelsSelectFeaturesOptions, SelectOptions
from app.shell.output import print_answer, print_json, print_lines, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scales import ScaleOptions, label_declared, labels_of
from app.shell.segments import decoder_columns, read_pairs, segments_of, tagged_columns
from app.text import LanguagePair

__all__ = ["evaluate", "select", "select_features"]

# Intervals that are meant to hold less are of little use.
COVERAGE_MINIMUM: Final = 0.8


def evaluate(options: EvaluateOptions) -> None:
    """Measure predictors on labelled segments (Pearson, MAE, DeltaAvg), or word taggers on the columns tags, source_tags, spans."""
    table = read_pairs([options.file], options.log_probs, options.tokens, pair=options.pair)
    gold = {} if options.label or options.label_column else tagged_columns(table)
    if not gold:
        gold = {"label": labels_of(table, options.file, options.label, options.label_column)}
        gold |= {"document": table["document"]} if "document" in table.columns else {}
    if "label" in gold and options.task_column:
        gold |= {"task": table[options.task_column]}
        gold |= {"reference": table["reference"]} if "reference" in table.columns else {}
    named_models = models_of(options.model)
    request = make_request(
        EvaluateRequest,
        **languages_of(table, options.pair, options.server),
        label=options.label,
        profile=options.profile,
        models=named_models.get("models") or options.model or None,
        all=True if not options.model else None,
        segments=segments_of(table, **gold, **decoder_columns(options)),
    )
    answer = answer_to(evaluate_operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
    elif "label" in gold:
        print_rows([_evaluation(row) for row in answer["models"]], options.form)
        of_documents = [row for model in answer["models"] for row in _documents(model)]
        if of_documents:
            print()
            print_rows(of_documents, options.form)
        print_lines(_selection(answer.get("selection")) if options.task_column else (), options.form)
    else:
        for name in ("tags", "spans"):
            rows = [{"model": model["model"], **row} for model in answer["words"] for row in model[name]]
            if rows:
                print_rows(rows, options.form)


def _selection(selection: dict[str, Any] | None) -> list[str]:
    """Accuracy of translation selection, a line for each way to select."""
    if selection is None:
        return ["no source has translations of two systems, so nothing can be selected"]
    rows = [(name, row) for name, row in selection["models"].items()]
    rows += [(name, selection[name]) for name in ("blind", "non_blind") if name in selection]
    best = selection["best_system"]
    rows += [(f"best system, {best}", selection["systems"][best])]
    rows += [(name, selection[name]) for name in ("oracle", "chance")]
    counts = f"selection among the systems of {selection['sources']} sources ({selection['left_out']} segments left out):"
    return [counts, *(f"{name}: {', '.join(f'{key} {value:.4f}' for key, value in row.items())}" for name, row in rows)]


def _evaluation(answer: dict[str, Any]) -> dict[str, Any]:
    low, high = answer["accuracy_intervals"]["pearson"]
    rows = [row for row in answer["calibration"] if row["coverage"] >= COVERAGE_MINIMUM]
    worse = answer.get("p_value_of_best")
    return {
        "model": answer["model"],
        "direction": answer["direction"],
        **answer["accuracy"],
        "pearson_low": low,
        "pearson_high": high,
        "nlpd": answer["negative_log_density"],
        **{f"f1_{row['grade']:g}": "-" if row["f1"] is None else row["f1"] for row in answer.get("grades", ())},
        **{f"held_{round(100 * row['coverage'])}": row["measured"] for row in rows},
        "p_of_best": "-" if worse is None else worse,
    }


def _documents(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Accuracy of a model over documents: by plain and by weighted means, or by the means of a predictor of documents."""
    measures = answer.get("documents", {})
    names = (("plain", "accuracy"), ("weighted", "weighted_accuracy"))
    by_means = {mean: measures[name] for mean, name in names if name in measures}
    by_means |= {answer["means"]: answer["accuracy"]} if "means" in answer else {}
    return [
        {"model": answer["model"], "mean": mean, **{"documents" if k == "segments" else k: v for k, v in accuracy.items()}}
        for mean, accuracy in by_means.items()
    ]


def select(options: SelectOptions) -> None:
    """Choose the segments of a pool without labels that are worth annotating next."""
    table = read_pairs(options.files, options.log_probs, options.tokens, pair=options.pair)
    about = {
        **languages_of(table, options.pair, options.server),
        "count": options.count,
        "strategy": options.strategy,
        "model": options.model,
        "label": options.label,
        "profile": options.profile,
    }
    request = make_request(SelectRequest, **about, segments=segments_of(table))
    print_answer(answer_to(select_operation, request, options.server), "segments", options.form)


def select_features(options: ModelsSelectFeaturesOptions) -> None:
    """Rank features, and measure accuracy against their number."""
    if options.plot is not None:
        check_file(options.plot, "--plot")
    table = read_pairs([options.file], options.log_probs, options.tokens, pair=options.pair)
    label = label_declared(
        options.label,
        ScaleOptions(options.higher_is_better, options.lower_is_better, options.bounds, options.classes, options.unit),
    )
    pair = LanguagePair(*languages_of(table, options.pair, None).values())
    selection = FeatureSelection(str(pair), label, options.method, options.learner, options.seed, options.set_name)
    curve = selection_curve(
        selection, table, labels_of(table, options.file, options.label, options.label_column), Path(options.file)
    )
    points = [dict(point.__dict__) for point in curve.points]
    if options.plot is not None:
        # The pages, and what draws for them, take a second to import.
        from app.server.web.charts import curve_svg

        options.plot.write_text(
            curve_svg([(row["features"], row["test_pearson"]) for row in points], curve.chosen), encoding="utf-8"
        )
        say(f"wrote {options.plot}")
    if options.form is Format.JSON:
        worth = [{"feature": name, "worth": float(value)} for name, value in zip(curve.ranking, curve.worth, strict=True)]
        print_json({"method": options.method, "chosen": curve.chosen, "ranking": worth, "points": points})
        return
    print_rows(points, options.form)
    say(f"{curve.chosen} features: {' '.join(curve.ranking[: curve.chosen])}")
