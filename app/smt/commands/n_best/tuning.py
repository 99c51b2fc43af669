"""`assay tune`: weights of features, tuned on n-best lists towards a metric."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from app.errors import InputError
from app.operations.operation import Json
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.output import Format, check_file, json_text, print_json, print_rows, say
from app.shell.parameters import Server, default, number, option, refuse
from app.shell.requests import make_request
from app.shell.running import answer_to, answer_to_files
from app.smt.commands.n_best.lists import Missing, MissingWeights, check_beside, list_files, read_list_arguments
from app.smt.commands.n_best.rounds import tune_by_decoder
from app.smt.decoder.tuning.rounds import LIST_LENGTH, ROUNDS, STEP, RoundOptions
from app.smt.operations.tune import TuneRequest, operation
from app.smt.tuning.methods import METHODS
from app.smt.tuning.moses_weights import dense_lines, mira_lines, point_line, read_any_weights, with_weights
from app.smt.tuning.weights import Weights

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
SHOWN: Final = (
    "feature", "component", "effect", "weight", "mean", "deviation", "lowest", "highest", "effect_mean", "effect_deviation"
)  # fmt: skip


class OutForm(StrEnum):
    """Forms of a file of weights."""

    JSON = "json"
    POINT = "weights.txt"
    DENSE = "dense"
    MIRA = "kbmira"


@commands.command()
def tune(
    n_best: Annotated[list[str], typer.Argument(help="N-best lists with features (- is stdin); several are merged by segment.")],
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", "-r", help="References, one a line, or NAME=FILE; repeat. Lists as JSON may have them."),
    ] = None,
    method: Annotated[
        str, option(TuneRequest, "method", about=f"One of {', '.join(METHODS)}, with options as mert|restarts:20.")
    ] = default(TuneRequest, "method"),
    metric: Annotated[str, option(TuneRequest, "metric", "--metric", "-m")] = default(TuneRequest, "metric"),
    seed: Annotated[int, option(TuneRequest, "seed")] = default(TuneRequest, "seed"),
    runs: Annotated[int, option(TuneRequest, "runs")] = default(TuneRequest, "runs"),
    take: Annotated[str, option(TuneRequest, "take")] = default(TuneRequest, "take"),
    start: Annotated[str | None, typer.Option(help="File of weights to begin with; equal ones otherwise.")] = None,
    missing_weights: MissingWeights = Missing.REFUSED,
    source: Annotated[str | None, typer.Option(help="Source texts, one a line.")] = None,
    held_out: Annotated[list[str] | None, typer.Option(help="N-best lists that only measure the weights; repeat to merge.")] = None,
    held_out_references: Annotated[
        list[str] | None, typer.Option("--held-out-reference", "--held-out-references", help="Their references; repeat for more.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File of weights to write, JSON with a card.")] = None,
    out_form: Annotated[OutForm, typer.Option(help="Form of that file: json, or one that Moses' tools read.")] = OutForm.JSON,
    moses_ini: Annotated[
        Path | None, typer.Option(help="A moses.ini; --out becomes the same with these weights, and nothing else changed.")
    ] = None,
    decoder: Annotated[
        Path | None,
        typer.Option(help="A moses.ini: tune it here on source sentences, in the place of lists, by translating them in rounds."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=100, help="With --decoder: times that weights are tuned, at most.")] = ROUNDS,
    list_length: Annotated[
        int, typer.Option(min=1, max=10_000, help="With --decoder: hypotheses of a sentence that a round adds.")
    ] = LIST_LENGTH,
    step: Annotated[
        float, number(about="With --decoder: share of the way from the best weights so far that a round goes.", shares=True)
    ] = STEP,
    work: Annotated[Path | None, typer.Option(help="With --decoder: folder that keeps its rounds.")] = None,
    changes: Annotated[int, typer.Option(min=0, help="Changed segments to show, those of the largest gain and loss.")] = 0,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Tune the weights of a log-linear model on n-best lists. Killed, it goes on where it was."""
    if out is not None:
        check_file(out, "--out")
    if decoder is not None:
        usual = TuneRequest.model_fields["take"].default
        lists_only = {
            "--runs": runs != 1, "--take": take != usual, "--start": start, "--source": source, "--held-out": held_out,
            "--held-out-reference": held_out_references, "--moses-ini": moses_ini, "--out-form": out_form is not OutForm.JSON,
            "--missing-weights": missing_weights is not Missing.REFUSED, "--changes": changes,
        }  # fmt: skip
        refuse(lists_only, "this is about lists that are there, and --decoder makes its own")
        options = RoundOptions(method, seed, rounds, list_length, step=step)
        tune_by_decoder(decoder, n_best, references or [], metric, options, out, work)
        return
    of_rounds = {"--rounds": rounds != ROUNDS, "--list-length": list_length != LIST_LENGTH, "--step": step != STEP, "--work": work}
    refuse(of_rounds, "this goes with --decoder")
    refuse({} if out else {"--moses-ini": moses_ini, "--out-form": out_form is not OutForm.JSON}, "name the file to write by --out")
    if held_out_references and not held_out:
        raise InputError("invalid-request", "there are no lists of --held-out beside it", ("--held-out-reference",))
    lists = _lists_of(n_best, references, source)
    if not lists["references"]:
        raise InputError("invalid-request", "weights are tuned towards references; name a file", ("--reference",))
    held_lists = _lists_of(held_out, held_out_references, None) if held_out else None
    request = make_request(
        TuneRequest,
        **lists,
        method=method,
        metric=metric,
        seed=seed,
        runs=runs,
        take=take,
        start=_weights_of(start, lists["n_best"].names) if start else None,
        missing_weights=missing_weights.value,
        held_out_n_best=held_lists and held_lists["n_best"],
        held_out_references=held_lists and held_lists["references"],
    )
    if server is None:
        answer = answer_to(operation, request, None)
    else:
        answer = answer_to_files(operation, request, list_files(request), server)
    if out is not None:
        out.write_bytes(_written(answer, out_form, moses_ini))
        say(f"wrote {out}")
    _report(answer, form, changes)


def _lists_of(paths: list[str], references: list[str] | None, source: str | None) -> Json:
    """Lists with references and sources, of files of their own or of the lists themselves."""
    texts, sources = named_lists(references or []), read_lines(source) if source else None
    read = read_list_arguments(paths, [*texts.values(), sources])
    check_beside(read.lists, texts | ({source: sources} if source and sources is not None else {}))
    texts = texts or {str(number): list(column) for number, column in enumerate(read.references, 1)}
    return {"n_best": read.lists, "references": texts or None, "sources": sources or (read.sources and list(read.sources))}


def _weights_of(file: str, names: Sequence[str]) -> Json:
    weights = read_any_weights(read_file_bytes(file), names, "--start").weights
    return {name: list(row) for name, row in weights.values.items()}


def _written(answer: dict[str, Any], form: OutForm, moses_ini: Path | None) -> bytes:
    """The file of weights; numbers without names are of the dense features, those without an underscore in their name."""
    names = [row["feature"] for row in answer["spread"]]
    weights = np.array([row["weight"] for row in answer["spread"]], np.float64)
    if moses_ini is not None:
        return with_weights(read_file_bytes(str(moses_ini)), Weights.of(names, weights), moses_ini.name)
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
    print_rows(rows if form is Format.TSV else list(map(_readable, rows)), form, SHOWN if len(answer["runs"]) > 1 else SHOWN[:4])
    say("effect: the weight times the feature's spread inside lists, as a share of all; weights alone say little")
    held_out = answer.get("held_out")
    low, high = answer["confidence_interval"]
    of_runs = ", the mean of all runs" if answer["take"] == "mean" else ""
    say(f"{answer['metric']} by {answer['method']}{of_runs}: dev_score {answer['dev_score']:.4f} [{low:.4f}, {high:.4f}]")
    if answer["without_hypotheses"]:
        whole = answer["weights"]["card"]["data"]["segments"]
        say(f"{answer['without_hypotheses']} of {whole} segments have no hypotheses: left out")
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


def _say_changes(segments: list[Json], most: int) -> None:
    moved = sorted((row for row in segments if row["place"] > 1), key=lambda row: row["gain"], reverse=True)
    others = sum(row["chosen"] != row["first"] for row in moved)
    say(f"{len(moved)} of {len(segments)} segments changed, {others} of them in their text")
    best = [row for row in moved[:most] if row["gain"] > 0]
    for row in (*best, *(row for row in moved[::-1][:most] if row["gain"] < 0)):
        say(f"\nsegment {row['segment'] + 1}, {row['gain']:+.4f}, from place 1 to {row['place']}")
        for name, text in (("source", row.get("source")), ("first", row["first"]), ("chosen", row["chosen"])):
            if text is not None:
                say(f"  {name}: {text}")
        for text in row["references"]:
            say(f"  reference: {text}")
