"""`assay quality`, `rank`, `evaluate` and `select`."""

from typing import Annotated, Any

import numpy as np
import typer

from app.answers import (
    model_summary,
    quality_rows,
    rank_rows,
    selection_answer,
    standing_rows,
    word_rows,
    word_tagger_summary,
)
from app.engine.segments import Options, Segments
from app.errors import InputError
from app.model_answers import evaluation_answer, explanation_answer
from app.planning.totals import document_answer
from app.predictors import compare_predictions
from app.predictors.active_learning import DEFAULT_STRATEGY, STRATEGIES
from app.shell.inputs import named_lists, read_lines, read_pairs
from app.shell.output import Format, print_answer, print_json, print_rows
from app.shell.segments import Files, LogProbs, Pair, Tokens, request_body, segments_of
from app.shell.serving import Form, Server
from app.shell.session import call_server, engine_here, settings_here
from app.text import LanguagePair
from app.text.tables import Table

__all__ = ["register"]

ModelName = Annotated[str | None, typer.Option(help="Model id; the best one otherwise.")]
LabelName = Annotated[str | None, typer.Option(help="hter or da.")]


def quality(
    files: Files,
    pair: Pair,
    model: ModelName = None,
    label: LabelName = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    interval: Annotated[float, typer.Option(min=0.5, max=0.99, help="Share of labels the interval is to hold.")] = 0.9,
    explain: Annotated[bool, typer.Option("--explain", help="Add each feature's contribution.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Tag every word and gap as OK or BAD instead.")] = False,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Predict the quality of every segment, without a reference."""
    sent = segments_of(pair, read_pairs(files, log_probs, settings_here().max_segment_characters, tokens))
    if words:
        _print_words(sent, model, server, form)
        return
    if server:
        answer = call_server(
            server, "POST", "/v1/quality", request_body(sent, model=model, label=label, interval=interval, explain=explain)
        )
    else:
        found = engine_here().quality(sent, model, label, Options(interval, explain))
        rows = quality_rows(found)
        explanation = {"explanation": explanation_answer(found.model)} if explain else {}
        answer = {
            **model_summary(found.model),
            "interval": interval,
            **explanation,
            "segments": rows,
            "document": document_answer(rows),
        }
    if form is not Format.JSON:
        answer["segments"] = [{"segment": i, **row} for i, row in enumerate(answer["segments"], 1)]
    print_answer(answer, "segments", form)


def _print_words(sent: Segments, model: str | None, server: str | None, form: Format) -> None:
    if server:
        answer = call_server(server, "POST", "/v1/quality", request_body(sent, model=model, level="word"))
    else:
        found = engine_here().word_tags(sent, model)
        answer = {**word_tagger_summary(found.tagger), "segments": word_rows(found)}
    if form is Format.JSON:
        print_json(answer)
        return
    rows = [
        {
            "segment": number,
            "words": " ".join(f"[{word['text']}]" if word["tag"] == "BAD" else word["text"] for word in row["words"]),
            "word_tags": " ".join(word["tag"] for word in row["words"]),
            "gap_tags": " ".join(gap["tag"] for gap in row["gaps"]),
        }
        for number, row in enumerate(answer["segments"], 1)
    ]
    print_rows(rows, form)


def rank(
    source: Annotated[str, typer.Argument(help="File of sources, one a line.")],
    systems: Annotated[list[str], typer.Argument(help="One file of translations per system, or NAME=FILE.")],
    pair: Pair,
    model: ModelName = None,
    label: LabelName = None,
    segments: Annotated[bool, typer.Option("--segments", help="Print the order of every segment.")] = False,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Rank several systems' translations of the same sources."""
    longest = settings_here().max_segment_characters
    sources, lists = read_lines(source, longest), named_lists(systems, longest)
    for name, lines in lists.items():
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{name} has {len(lines)} lines, {source} has {len(sources)}")
    candidates = [{name: lines[i] for name, lines in lists.items()} for i in range(len(sources))]
    languages = LanguagePair.parse(pair)
    if server:
        body = {
            "source_language": languages.source,
            "target_language": languages.target,
            "segments": [
                {"source": s, "translations": [{"system": n, "text": t} for n, t in row.items()]}
                for s, row in zip(sources, candidates, strict=True)
            ],
        }
        answer = call_server(server, "POST", "/v1/rank", body | {k: v for k, v in (("model", model), ("label", label)) if v})
    else:
        found, ranking = engine_here().rank(languages, sources, candidates, model, label)
        answer = {**model_summary(found), "segments": rank_rows(ranking.segments), "systems": standing_rows(ranking)}
    if segments and form is not Format.JSON:
        rows = [
            {"segment": i, "order": " ".join(e["system"] for e in row["order"]), "confidence": row["confidence"]}
            for i, row in enumerate(answer["segments"], 1)
        ]
        print_rows(rows, form)
    else:
        print_answer(answer, "systems", form)


def _labels(table: Table, column: str) -> np.ndarray:
    try:
        return np.array([float(cell) for cell in table[column]], np.float64)
    except ValueError:
        raise InputError("invalid-training-data", "a label is not a number", (column,)) from None


def select(
    files: Files,
    pair: Pair,
    count: Annotated[int, typer.Option(min=1, max=10_000, help="How many segments to choose.")] = 100,
    strategy: Annotated[str, typer.Option(help=f"One of {', '.join(STRATEGIES)}.")] = DEFAULT_STRATEGY,
    model: ModelName = None,
    label: LabelName = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = None,
    form: Form = Format.TSV,
) -> None:
    """Choose the segments of a pool without labels that are worth annotating next."""
    sent = segments_of(pair, read_pairs(files, log_probs, settings_here().max_segment_characters, tokens))
    if server:
        from app.shell.jobs import submit_and_wait

        answer = submit_and_wait(server, "select", request_body(sent, count=count, strategy=strategy, model=model, label=label))[
            "summary"
        ]
    else:
        answer = selection_answer(*engine_here().select(sent, count, strategy, model, label), sent.sources, sent.translations)
    print_answer(answer, "segments", form)


LabelColumn = Annotated[str, typer.Option(help="Column of the labels.")]


def evaluate(
    file: Annotated[str, typer.Argument(help="Table with source, translation and labels.")],
    pair: Pair,
    label: LabelName = None,
    label_column: LabelColumn = "label",
    model: Annotated[list[str] | None, typer.Option(help="Model id; may be repeated. All that fit otherwise.")] = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Measure predictors on labelled segments: Pearson, Spearman, MAE, RMSE, DeltaAvg."""
    table = read_pairs([file], log_probs, settings_here().max_segment_characters, tokens)
    sent, gold = segments_of(pair, table), _labels(table, label_column)
    if server:
        answers = [_evaluate_there(server, sent, gold, name, label) for name in model or [None]]  # type: ignore[list-item]
    else:
        engine = engine_here()
        names = model or [each.card.id for each in engine.fitting_models(sent.pair, label, sent.sent)]
        if not names:
            raise InputError("unknown-model", f"there is no model for {pair} and these labels", ("label",))
        found = {name: engine.evaluate(sent, list(gold), name, label) for name in names}
        answers = [evaluation_answer(*each) for each in found.values()]
        _compare(gold, answers, {each[0].card.id: each[1].predicted for each in found.values()})
    if form is Format.JSON:
        print_json({"models": answers})
    else:
        print_rows([_evaluation_row(answer) for answer in answers], form)


def _compare(gold: np.ndarray, answers: list[dict[str, Any]], predicted: dict[str, np.ndarray]) -> None:
    """Add, to models of one label but the best, p that the best is no better."""
    for label in {answer["label"] for answer in answers}:
        same = [answer for answer in answers if answer["label"] == label]
        p_values = compare_predictions(gold, {answer["model"]: predicted[answer["model"]] for answer in same})
        for answer in same:
            answer["p_value_of_best"] = p_values.get(answer["model"])


def _evaluation_row(answer: dict[str, Any]) -> dict[str, Any]:
    low, high = answer["accuracy_intervals"]["pearson"]
    held = {f"held_{round(100 * row['coverage'])}": row["measured"] for row in answer["calibration"] if row["coverage"] >= 0.8}
    worse = answer.get("p_value_of_best")
    return {
        "model": answer["model"],
        **answer["accuracy"],
        "pearson_low": low,
        "pearson_high": high,
        "nlpd": answer["negative_log_density"],
        **held,
        "p_of_best": "-" if worse is None else worse,
    }


def _evaluate_there(server: str, sent: Segments, gold: np.ndarray, model: str | None, label: str | None) -> dict[str, Any]:
    from app.shell.jobs import submit_and_wait

    body = request_body(sent, model=model, label=label)
    for row, value in zip(body["segments"], gold, strict=True):
        row["label"] = float(value)
    summary: dict[str, Any] = submit_and_wait(server, "evaluate", body)["summary"]
    return summary


def register(program: typer.Typer) -> None:
    """Add the commands."""
    for command in (quality, rank, evaluate, select):
        program.command()(command)
