"""`assay nbest mbr` and `combine`: the translation that others agree with, of lists or of several systems."""

import json
from pathlib import Path
from typing import Any

from app.errors import InputError
from app.resources.language_models import open_language_model
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.here import engine_here, limits_here
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.output import print_json, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.options.n_best.consensus import CombineOptions, MbrOptions
from app.smt.operations.combine import CombineRequest, combined
from app.smt.operations.combine import operation as combine_operation
from app.smt.operations.mbr import MbrRequest
from app.smt.operations.mbr import operation as mbr_operation
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import n_best_line
from app.text.reading.n_best_files import read_lists

__all__ = ["combine", "mbr"]


def mbr(options: MbrOptions) -> None:
    """Choose of each segment's translations the one that the others agree with most, by any metric.

    Prints one translation a line, an empty one where a segment has no candidate.
    """
    lists = _lists(options.files)
    request = make_request(
        MbrRequest,
        options,
        n_best=lists,
        systems=named_lists(options.files) if lists is None else None,
        sources=read_lines(options.source) if options.source else None,
        samples=None if options.samples is None else read_lists([_file(options.samples)], merge=False).lists,
        probabilities="model" if options.model else None,
        own=not options.leave_one_out,
    )
    answer = answer_to(mbr_operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
        return
    for row in answer["segments"]:
        print(row.get("text", ""))
    say(f"{answer['moved']} of {len(answer['segments'])} segments have another translation than their first")


def _lists(files: list[str]) -> NBestLists | None:
    """The lists of one file, or of several whose first line is one of a list; None where they are lines of text."""
    if len(files) == 1:
        return read_lists([_file(files[0])], merge=False).lists
    if "=" in files[0] and not Path(files[0]).exists():
        return None
    read = [_file(path) for path in files]
    if n_best_line(next(iter(read[0].lines()), "")) is None:
        return None
    return read_lists(read).lists


def _file(path: str) -> TextFile:
    return TextFile(path, read_file_bytes(path))


def combine(options: CombineOptions) -> None:
    """Combine outputs of several systems word by word, with equal votes or with weights that are tuned.

    Prints one translation a line.
    """
    systems = named_lists(options.files)
    request = make_request(
        CombineRequest,
        options,
        systems=systems,
        development=_development(list(systems), options.dev, options.reference),
        weights=None if options.weights is None else _read_weights(options.weights),
        references=named_lists(options.measure) if options.measure else None,
    )
    answer = _answer(request, options.server, options.lm)
    if options.form is Format.JSON:
        print_json(answer)
        return
    for row in answer["segments"]:
        print(json.dumps(row, ensure_ascii=False) if options.words else row["text"])
    for number, score in enumerate(answer["rounds"]):
        say(f"{options.metric} of the segments tuned on, {f'round {number}' if number else 'before'}: {score:.2f}")
    for row in answer.get("scores", ()):
        say(f"{row['name']}: {options.metric} {row['score']:.2f} ({row['interval'][0]:.2f} to {row['interval'][1]:.2f})")


def _answer(request: CombineRequest, server: str | None, lm: str | None) -> Any:
    if lm is None:
        return answer_to(combine_operation, request, server)
    refuse({"--server": server}, "a language model is read here; leave one of the two out")
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
        raise InputError("invalid-weights", "this is no answer of assay nbest combine as JSON", (path,))
    return content["weights"]
