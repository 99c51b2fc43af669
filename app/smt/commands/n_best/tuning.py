"""`assay nbest tune`: weights of features, tuned on n-best lists towards a metric."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.operations.operation import Json
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import changed, refuse
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.output import json_text, print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to, answer_to_files
from app.smt.commands.n_best.lists import check_beside, list_files, read_list_arguments
from app.smt.commands.options.n_best.tuning import OutForm, TuneOptions
from app.smt.operations.tune import TuneRequest, extractor_fields, operation
from app.smt.tuning.moses_weights import dense_lines, mira_lines, point_line, read_any_weights, with_weights
from app.smt.tuning.weights import FeatureWeights

__all__ = ["tune"]

COLUMNS: Final = (
    "feature", "component", "effect", "weight", "mean", "deviation", "lowest", "highest", "effect_mean", "effect_deviation",
)  # fmt: skip
# Options of a tuning on lists, and of a tuning by rounds of translation.
OF_LISTS: Final = (
    "runs", "take", "start", "source", "scores", "held_out", "held_out_references", "held_out_source",
    "moses_ini", "out_form", "missing_weights", "changes",
)  # fmt: skip
OF_ROUNDS: Final = ("rounds", "list_length", "step", "lattice", "work")


def tune(arguments: TuneOptions) -> None:
    """Tune the weights of a log-linear model on n-best lists. Killed, it goes on where it was."""
    if arguments.decoder is not None:
        # A tuning on lists loads no decoder.
        from app.smt.commands.n_best.rounds import tune_by_decoder
        from app.smt.decoder.tuning.rounds import RoundOptions

        refuse(changed(arguments, OF_LISTS), "this is about lists that are there, and --decoder makes its own")
        options = RoundOptions(
            arguments.method,
            arguments.seed,
            arguments.rounds,
            arguments.list_length,
            step=arguments.step,
            lattices=arguments.lattice,
        )
        tune_by_decoder(
            arguments.decoder,
            arguments.n_best,
            arguments.references or [],
            arguments.metric,
            options,
            arguments.out,
            arguments.work,
        )
        return
    refuse(changed(arguments, OF_ROUNDS), "this goes with --decoder")
    if arguments.out is None:
        refuse(changed(arguments, ("moses_ini", "out_form")), "name the file to write by --out")
    if (arguments.held_out_references or arguments.held_out_source) and not arguments.held_out:
        flag = "--held-out-reference" if arguments.held_out_references else "--held-out-source"
        raise InputError("invalid-request", "there are no lists of --held-out beside it", (flag,))
    lists = _extractor_lists(arguments) if arguments.scores else _lists_of(arguments.n_best, arguments.references, arguments.source)
    if not arguments.scores and not lists["references"]:
        raise InputError("invalid-request", "weights are tuned towards references; name a file", ("--reference",))
    held_lists = (
        _lists_of(arguments.held_out, arguments.held_out_references, arguments.held_out_source) if arguments.held_out else None
    )
    request = make_request(
        TuneRequest,
        arguments,
        **lists,
        start=_weights_of(arguments.start, lists["n_best"].names) if arguments.start else None,
        missing_weights=arguments.missing_weights.value,
        held_out_n_best=held_lists and held_lists["n_best"],
        held_out_references=held_lists and held_lists["references"],
        held_out_sources=held_lists and held_lists["sources"],
    )
    if arguments.server is None:
        answer = answer_to(operation, request, None)
    else:
        files = list_files(request)
        if arguments.scores:
            files = {role: raw for role, raw in files.items() if role != "n_best"} | _extractor_bytes(arguments)
        answer = answer_to_files(operation, request, files, arguments.server)
    if arguments.out is not None:
        arguments.out.write_bytes(_weights_file(answer, arguments.out_form, arguments.moses_ini))
        say(f"wrote {arguments.out}")
    _report(answer, arguments.form, arguments.changes)


def _lists_of(paths: list[str], references: list[str] | None, source: str | None) -> Json:
    """Lists with references and sources, from further files or from the lists themselves."""
    texts, sources = named_lists(references or []), read_lines(source) if source else None
    read = read_list_arguments(paths, [*texts.values(), sources])
    check_beside(read.lists, texts | ({source: sources} if source and sources is not None else {}))
    texts = texts or {str(number): list(column) for number, column in enumerate(read.references, 1)}
    return {"n_best": read.lists, "references": texts or None, "sources": sources or (read.sources and list(read.sources))}


def _extractor_lists(arguments: TuneOptions) -> Json:
    """Lists and statistics from files of Moses' extractor."""
    refuse({"--reference": arguments.references, "--source": arguments.source}, "statistics of --scores stand in place of texts")
    return extractor_fields([Path(path) for path in arguments.n_best], [Path(path) for path in arguments.scores or []])


def _extractor_bytes(arguments: TuneOptions) -> dict[str, bytes]:
    """Files of Moses' extractor for a server, in place of lists in JSON, by role."""
    paths = {"n_best": arguments.n_best, "scores": arguments.scores or []}
    return {f"{role}:{number:06}": read_file_bytes(path) for role, files in paths.items() for number, path in enumerate(files)}


def _weights_of(file: str, names: Sequence[str]) -> Json:
    weights = read_any_weights(read_file_bytes(file), names, "--start").weights
    return {name: list(row) for name, row in weights.values.items()}


def _weights_file(answer: dict[str, Any], form: OutForm, moses_ini: Path | None) -> bytes:
    """Content of the file of weights. Forms without names have dense features only: those without an underscore in the name."""
    names = [row["feature"] for row in answer["spread"]]
    weights = np.array([row["weight"] for row in answer["spread"]], np.float64)
    if moses_ini is not None:
        return with_weights(read_file_bytes(str(moses_ini)), FeatureWeights.of(names, weights), moses_ini.name)
    if form is OutForm.JSON:
        return f"{json_text(answer['weights'])}\n".encode()
    if form is OutForm.MIRA:
        return mira_lines(names, weights).encode()
    dense = [k for k, name in enumerate(names) if "_" not in name]
    if form is OutForm.POINT:
        return point_line(weights[dense]).encode()
    return dense_lines([names[k] for k in dense], weights[dense]).encode()


def _report(answer: dict[str, Any], form: Format, changes: int) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    rows = sorted(answer["spread"], key=lambda row: abs(row["effect"]), reverse=True)
    print_rows(
        rows if form is Format.TSV else list(map(_readable, rows)), form, COLUMNS if len(answer["runs"]) > 1 else COLUMNS[:4]
    )
    say("effect: the weight times the feature's spread inside lists, as a share of all; weights alone say little")
    held_out = answer.get("held_out")
    low, high = answer["confidence_interval"]
    of_runs = ", the mean of all runs" if answer["take"] == "mean" else ""
    say(f"{answer['metric']} by {answer['method']}{of_runs}: dev_score {answer['dev_score']:.4f} [{low:.4f}, {high:.4f}]")
    if answer["without_hypotheses"]:
        total = answer["weights"]["card"]["data"]["segments"]
        say(f"{answer['without_hypotheses']} of {total} segments have no hypotheses: left out")
    say(f"first {answer['first_score']:.4f}, start {answer['start_score']:.4f}, oracle {answer['oracle_score']:.4f}")
    if held_out is not None:
        low, high = held_out["confidence_interval"]
        say(f"held out {held_out['score']:.4f} [{low:.4f}, {high:.4f}], first {held_out['first_score']:.4f}")
    if len(answer["runs"]) > 1:
        scores = " ".join(f"{run['seed']}:{run['score']:.4f}" for run in answer["runs"])
        say(f"runs {scores}; mean {answer['mean']:.4f}, deviation {answer['deviation']:.4f}")
    if answer["constant"]:
        say(f"equal in every list, so not tuned: {', '.join(answer['constant'])}")
    _say_changes(answer["segments"], changes)


def _readable(row: Json) -> Json:
    """A row with few digits: effects are shares of 1, weights may be of any size."""
    numbers = {name: value for name, value in row.items() if isinstance(value, float)}
    return {**row, **{name: format(value, ".3f" if name.startswith("effect") else ".4g") for name, value in numbers.items()}}


def _say_changes(segments: list[Json], limit: int) -> None:
    changed_rows = sorted((row for row in segments if row["place"] > 1), key=lambda row: row["gain"], reverse=True)
    text_count = sum(row["chosen"] != row["first"] for row in changed_rows)
    # Files of statistics have no texts.
    of_texts = f", {text_count} of them in their text" if any(row["first"] for row in segments) else ""
    say(f"{len(changed_rows)} of {len(segments)} segments changed{of_texts}")
    best = [row for row in changed_rows[:limit] if row["gain"] > 0]
    for row in (*best, *(row for row in changed_rows[::-1][:limit] if row["gain"] < 0)):
        say(f"\nsegment {row['segment'] + 1}, {row['gain']:+.4f}, from place 1 to {row['place']}")
        for name, text in (("source", row.get("source")), ("first", row["first"]), ("chosen", row["chosen"])):
            if text is not None:
                say(f"  {name}: {text}")
        for text in row["references"]:
            say(f"  reference: {text}")
