"""`assay evaluate`, `select` and `select-features`: how good predictors are, and what more they should learn from."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app.operations.evaluate import EvaluateRequest
from app.operations.evaluate import operation as evaluate_operation
from app.operations.select import SelectRequest
from app.operations.select import operation as select_operation
from app.predictors.active_learning import STRATEGIES
from app.predictors.training.selection import METHODS
from app.shell.feature_selection import FeatureSelection, chosen_features
from app.shell.languages import languages_of
from app.shell.output import Format, check_file, print_answer, print_json, print_rows, say
from app.shell.parameters import (
    Classes,
    Files,
    Form,
    HigherIsBetter,
    Label,
    LabelColumn,
    LabelledFile,
    LogProbs,
    LowerIsBetter,
    Model,
    Pair,
    Profile,
    Range,
    Server,
    Tokens,
    Unit,
    default,
    option,
)
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scales import ScaleOptions, label_declared, labels_of
from app.shell.segments import read_pairs, segments_of
from app.text import LanguagePair

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
# Intervals that are meant to hold less are of little use.
LEAST_SHOWN: Final = 0.8


@commands.command()
def evaluate(
    file: LabelledFile,
    pair: Pair = None,
    label: Label = None,
    label_column: LabelColumn = None,
    model: Annotated[list[str] | None, typer.Option(help="Model id; may be repeated. All that fit otherwise.")] = None,
    profile: Profile = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Measure predictors on labelled segments: Pearson, Spearman, MAE, RMSE, DeltaAvg."""
    table = read_pairs([file], log_probs, tokens, pair=pair)
    request = make_request(
        EvaluateRequest,
        **languages_of(table, pair, server),
        label=label,
        profile=profile,
        models=model or None,
        all=True if not model else None,
        segments=segments_of(table, label=labels_of(table, file, label, label_column)),
    )
    answer = answer_to(evaluate_operation, request, server)
    if form is Format.JSON:
        print_json(answer)
    else:
        print_rows([_evaluation(row) for row in answer["models"]], form)


def _evaluation(answer: dict[str, Any]) -> dict[str, Any]:
    low, high = answer["accuracy_intervals"]["pearson"]
    rows = [row for row in answer["calibration"] if row["coverage"] >= LEAST_SHOWN]
    worse = answer.get("p_value_of_best")
    return {
        "model": answer["model"],
        "direction": answer["direction"],
        **answer["accuracy"],
        "pearson_low": low,
        "pearson_high": high,
        "nlpd": answer["negative_log_density"],
        **{f"held_{round(100 * row['coverage'])}": row["measured"] for row in rows},
        "p_of_best": "-" if worse is None else worse,
    }


@commands.command()
def select(
    files: Files,
    pair: Pair = None,
    count: Annotated[int, option(SelectRequest, "count", about="How many segments to choose.")] = default(SelectRequest, "count"),
    strategy: Annotated[str, typer.Option(help=f"One of {', '.join(STRATEGIES)}.")] = default(SelectRequest, "strategy"),
    model: Model = None,
    label: Label = None,
    profile: Profile = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = None,
    form: Form = Format.TSV,
) -> None:
    """Choose the segments of a pool without labels that are worth annotating next."""
    table = read_pairs(files, log_probs, tokens, pair=pair)
    about = {
        **languages_of(table, pair, server),
        "count": count,
        "strategy": strategy,
        "model": model,
        "label": label,
        "profile": profile,
    }
    request = make_request(SelectRequest, **about, segments=segments_of(table))
    print_answer(answer_to(select_operation, request, server), "segments", form)


@commands.command("select-features")
def select_features(
    file: LabelledFile,
    label: Annotated[str, typer.Option(help="What the labels are: hter, da, effort, likert, time, or another with its scale.")],
    higher_is_better: HigherIsBetter = False,
    lower_is_better: LowerIsBetter = False,
    bounds: Range = None,
    classes: Classes = None,
    unit: Unit = None,
    pair: Pair = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "relevance",
    set_name: Annotated[str | None, typer.Option("--feature-set", help="The set to choose from.")] = None,
    label_column: LabelColumn = None,
    learner: Annotated[str, typer.Option(help="What measures the accuracy of a choice.")] = "gp|inducing:100",
    plot: Annotated[Path | None, typer.Option(help="SVG file of accuracy against number of features.")] = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    seed: int = 12345,
    form: Form = Format.TEXT,
) -> None:
    """Rank features, and measure accuracy against their number."""
    if plot is not None:
        check_file(plot, "--plot")
    table = read_pairs([file], log_probs, tokens, pair=pair)
    declared = label_declared(label, ScaleOptions(higher_is_better, lower_is_better, bounds, classes, unit))
    wanted = LanguagePair(*languages_of(table, pair, None).values())
    selection = FeatureSelection(str(wanted), declared, method, learner, seed, set_name)
    curve = chosen_features(selection, table, labels_of(table, file, label, label_column), Path(file))
    points = [dict(point.__dict__) for point in curve.points]
    if plot is not None:
        # The pages, and what draws for them, take a second to import.
        from app.server.web.charts import curve_svg

        plot.write_text(curve_svg([(row["features"], row["test_pearson"]) for row in points], curve.chosen), encoding="utf-8")
        say(f"wrote {plot}")
    if form is Format.JSON:
        worth = [{"feature": name, "worth": float(value)} for name, value in zip(curve.ranking, curve.worth, strict=True)]
        print_json({"method": method, "chosen": curve.chosen, "ranking": worth, "points": points})
        return
    print_rows(points, form)
    say(f"{curve.chosen} features: {' '.join(curve.ranking[: curve.chosen])}")
