"""`assay learn`: a round of active learning, or its simulation."""

from typing import Any

from app.errors import InputError
from app.operations.learn import LearnRequest, operation
from app.operations.operation import Json
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.inputs import read_any_table
from app.shell.languages import languages, languages_of
from app.shell.options.learning import LearnOptions
from app.shell.output import counted, print_json, print_rows, say, say_default
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scales import ScaleOptions, labels_of, partial_labels_of
from app.shell.segments import read_pairs, segments_of

__all__ = ["learn"]


def learn(options: LearnOptions) -> None:
    """Choose the segments to label next, by the labels so far; train a predictor at a plateau of the estimated error."""
    round_fields = {
        name: getattr(options, name)
        for name in ("label", "start", "batch", "beta", "window", "tolerance", "limit", "name", "licence", "seed")
    }
    flags = {name: getattr(options, name) or None for name in ("finish", "simulate")}
    request = make_request(
        LearnRequest, **round_fields, **flags, **(_later_round(options) if options.after is not None else _first_round(options))
    )
    answer = answer_to(operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
    elif "simulation" in answer:
        _print_simulation(answer["simulation"], options.form)
    else:
        _print_round(answer, options.form)


def _first_round(options: LearnOptions) -> Json:
    if options.file is None:
        raise InputError("invalid-request", "name a table with the pool, or the round before with --after", ("FILE",))
    table = read_pairs([options.file], pair=options.pair)
    held_out = None if options.held_out is None else read_pairs([options.held_out], pair=options.pair)
    labels = partial_labels_of(
        table, options.file, options.label, options.label_column, required=options.simulate or options.label_column is not None
    )
    fields: Json = {
        **languages_of(table, options.pair, options.server),
        "scale": ScaleOptions(
            options.higher_is_better, options.lower_is_better, options.bounds, options.classes, options.unit
        ).fields(),
        "feature_set": options.set_name,
        "segments": segments_of(table, label=labels),
    }
    if held_out is None or options.held_out is None:
        return fields
    column = labels_of(held_out, options.held_out, options.label, options.label_column)
    return {**fields, "held_out": segments_of(held_out, label=column)}


def _later_round(options: LearnOptions) -> Json:
    refuse(
        {
            "--feature-set": options.set_name, "--held-out": options.held_out, "--unit": options.unit, "--classes": options.classes,
            "--range": options.bounds, "--higher-is-better": options.higher_is_better, "--lower-is-better": options.lower_is_better,
        },
        "this is of the first round; leave it or --after out",
    )  # fmt: skip
    if options.pair is None:
        raise InputError("invalid-request", "name the language pair of the session", ("--pair",))
    fields: Json = {**languages(options.pair), "after": options.after}
    if options.file is None:
        return fields
    table = read_any_table(options.file)
    labels = partial_labels_of(table, options.file, options.label, options.label_column)
    rows = zip(table["segment"], labels, strict=True)
    return {**fields, "labels": [{"segment": _segment(cell), "label": label} for cell, label in rows if label is not None]}


def _segment(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
        raise InputError("invalid-table", f"{cell[:20]!r} is no number of a segment", ("segment",))
    return int(cell)


def _print_round(answer: dict[str, Any], form: Format) -> None:
    print_rows(answer["segments"], form)
    error = "" if "error" not in answer else f", estimated error {answer['error']:.4f}"
    say(f"{counted(answer['label_count'], 'label')}, {counted(answer['remainder'], 'segment')} without{error}")
    if "model" in answer:
        reason = "the error has reached a plateau" if answer["plateau"] else "learned the labels so far"
        accuracy = answer["accuracy"]
        say(f"{reason}: model {answer['model']}, Pearson {accuracy['pearson']:.3f}, MAE {accuracy['mae']:.3f}")
        say_default(answer)
    if "job" in answer:
        say(f"job {answer['job']}")


def _print_simulation(simulation: dict[str, Any], form: Format) -> None:
    rows = zip(simulation["worth"], simulation["random"], strict=True)
    print_rows([{**worth, **{f"random_{k}": v for k, v in random.items() if k != "labels"}} for worth, random in rows], form)
    stop = simulation["stop"]
    say("no plateau" if stop is None else f"the error reaches a plateau at {stop} labels")
