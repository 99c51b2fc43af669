"""`assay combine`: outputs of several systems combined word by word."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.errors import InputError
from app.shell.here import engine_here, limits_here
from app.shell.inputs import named_lists, read_file_bytes
from app.shell.output import Format, print_json, say
from app.shell.parameters import Server, default, option, refuse
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.operations.combine import CombineRequest, combined
from app.smt.operations.combine import operation as combine_operation

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def combine(
    files: Annotated[list[str], typer.Argument(help="Outputs of two or more systems: FILE or NAME=FILE.")],
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Output of a system for the segments to tune weights on; one a system, in the same order."),
    ] = None,
    reference: Annotated[list[str] | None, typer.Option("--reference", "-r", help="Reference of these; repeat for more.")] = None,
    metric: Annotated[str, option(CombineRequest, "metric", "--metric", "-m")] = default(CombineRequest, "metric"),
    method: Annotated[str, option(CombineRequest, "method")] = default(CombineRequest, "method"),
    seed: Annotated[int, option(CombineRequest, "seed", about="Seed of tuning.")] = default(CombineRequest, "seed"),
    rounds: Annotated[int, option(CombineRequest, "rounds")] = default(CombineRequest, "rounds"),
    weights: Annotated[str | None, typer.Option(help="An earlier answer as JSON, whose weights are used.")] = None,
    lm: Annotated[str | None, typer.Option(help="Language model (ARPA or KenLM's binary) of words in small letters.")] = None,
    backbone: Annotated[str, option(CombineRequest, "backbone")] = default(CombineRequest, "backbone"),
    consensus: Annotated[str, option(CombineRequest, "consensus")] = default(CombineRequest, "consensus"),
    paths: Annotated[int, option(CombineRequest, "paths")] = default(CombineRequest, "paths"),
    words: Annotated[bool, option(CombineRequest, "words", "--words")] = False,
    measure: Annotated[
        list[str] | None, typer.Option(help="Reference of what is combined, which only measures; repeat for more.")
    ] = None,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Combine outputs of several systems word by word, with equal votes or with weights that are tuned.

    Prints one translation a line.
    """
    systems = named_lists(files)
    request = make_request(
        CombineRequest,
        systems=systems,
        development=_development(list(systems), dev, reference),
        weights=None if weights is None else _read_weights(weights),
        metric=metric,
        method=method,
        seed=seed,
        rounds=rounds,
        backbone=backbone,
        consensus=consensus,
        paths=paths,
        words=words or None,
        references=named_lists(measure) if measure else None,
    )
    answer = _answer(request, server, lm)
    if form is Format.JSON:
        print_json(answer)
        return
    for row in answer["segments"]:
        print(json.dumps(row, ensure_ascii=False) if words else row["text"])
    for number, score in enumerate(answer["rounds"]):
        say(f"{metric} of the segments tuned on, {f'round {number}' if number else 'before'}: {score:.2f}")
    for row in answer.get("scores", ()):
        say(f"{row['name']}: {metric} {row['score']:.2f} ({row['interval'][0]:.2f} to {row['interval'][1]:.2f})")


def _answer(request: CombineRequest, server: str | None, lm: str | None) -> Any:
    if lm is None:
        return answer_to(combine_operation, request, server)
    refuse({"--server": server}, "a language model is read here; leave one of the two out")
    from app.resources.language_models import open_language_model

    combine_operation.check(request, limits_here())
    return combined(engine_here(), request, open_language_model(Path(lm)))


def _development(names: list[str], dev: list[str] | None, references: list[str] | None) -> dict[str, Any] | None:
    if not dev and not references:
        return None
    if not dev or not references or len(dev) != len(names):
        raise InputError("invalid-request", "give --dev once for each system, and --reference", ("--dev",))
    # Files of other segments have other names: they stand in the systems' order.
    lists = named_lists([f"{place}={path.partition('=')[2] or path}" for place, path in enumerate(dev)])
    return {"systems": dict(zip(names, lists.values(), strict=True)), "references": named_lists(references)}


def _read_weights(path: str) -> Any:
    try:
        content = json.loads(read_file_bytes(path))
    except ValueError:
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise InputError("invalid-weights", "this is no answer of assay combine as JSON", (path,))
    return content["weights"]
