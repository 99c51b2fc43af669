"""Planning of a recipe's job: a chunk with a command line for each step, and the files of the job.

Callers' names never refer to paths of the server. They must pass `is_file_name` and become paths below an empty folder. In it, a
step finds only the files that it reads.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from app.errors import InputError
from app.operations.operation import Json, Plan, Planning
from app.running.rates import Amount
from app.shell.declaration.files import LANGUAGE_MODELS
from app.smt.recipes.command_lines import CommandLine, command_lines, is_file_name, is_within, overlap, typed_line
from app.smt.recipes.configurations import (
    HEAD_BYTES,
    LARGEST_CONFIGURATION,
    check_numbers,
    configurations_of,
    is_text,
    named_files,
    writer_of_numbers,
)
from app.smt.recipes.manifests import FileRecord, measured
from app.smt.recipes.reading import parse_recipe
from app.smt.recipes.request import INPUT, MOST_FILES, RECIPE, RecipeRequest, StoredFile, check_recipe
from app.smt.recipes.step_commands import StepCommands, makers_of

__all__ = ["amount_of_step", "plan_form", "plan_recipe"]

# Name of the recipe in errors.
PLACE: Final = Path("recipe.yaml")
# A larger gzip file that unpacks to more than so many times its size is no text, and would keep the caller waiting.
SMALL_UNPACKED: Final = 10_000_000
LARGEST_EXPANSION: Final = 100
LONGEST_RECIPE: Final = 100_000
MOST_STEPS: Final = 100
MOST_VALUES: Final = 10_000
PARQUET: Final = b"PAR1"


@dataclass(frozen=True)
class _JobInput:
    """A file sent with the job, or taken from another job."""

    file: BinaryIO
    command: str | None = None
    origin: StoredFile | None = None


def plan_form(planning: Planning, params: Json, files: Mapping[str, BinaryIO]) -> Plan:
    """Plan a job from a form with the file `recipe` and one file `input:NAME` per input."""
    recipe = files.get(RECIPE)
    unknown = next((role for role in files if role != RECIPE and not role.startswith(INPUT)), None)
    if unknown is not None:
        raise InputError("invalid-job", f"there is no such field; files of a form are {RECIPE} and {INPUT}NAME", (unknown,))
    if recipe is not None and RECIPE in params:
        raise InputError("invalid-job", "this came twice, as a file and as a parameter", ("params", RECIPE))
    raw = None if recipe is None else recipe.read(LONGEST_RECIPE + 1)
    text = {} if raw is None else {RECIPE: _text(raw)}
    request = RecipeRequest.model_validate({**params, **text})
    uploads = {role.removeprefix(INPUT): file for role, file in files.items() if role != RECIPE}
    return plan_recipe(planning, request, uploads)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InputError("invalid-encoding", f"byte {error.start} of the recipe is not UTF-8", (RECIPE,)) from None


def plan_recipe(planning: Planning, request: RecipeRequest, uploads: Mapping[str, BinaryIO] | None = None) -> Plan:
    """Plan a job; check every step before any file is stored."""
    check_recipe(request, planning.limits)
    limits = planning.limits.recipe
    assert limits is not None
    job_inputs = _job_inputs(planning, request, uploads or {})
    lines = _lines(request, job_inputs)
    room = None if planning.stored is None else planning.stored.most_bytes
    inputs: Json = {}
    sizes: dict[str, int] = {}
    for number, (name, source) in enumerate(job_inputs.items()):
        record, sizes[name] = _measured(source.file, name, limits.bytes - sum(sizes.values()), limits.bytes)
        origin = None if source.origin is None else source.origin.model_dump()
        inputs[name] = {"role": f"given-{number}", **asdict(record), "step": None, "command": source.command, "of": origin}
    _check_binary(lines, job_inputs, planning.trusted)
    _check_parquet(job_inputs, planning.trusted)
    configuration_files = [_named(lines[:number], line, job_inputs, planning.trusted) for number, line in enumerate(lines)]
    params = {
        "recipe": request.recipe,
        "constants": request.constants,
        "inputs": inputs,
        "limits": {**asdict(limits), "stored_bytes": room},
        "trusted": planning.trusted,
    }
    files = {inputs[name]["role"]: source.file for name, source in job_inputs.items()}
    chunks = [(1, _chunk(number, line, sizes, configuration_files[number])) for number, line in enumerate(lines)]
    return Plan("recipe", params, chunks, files)


def _measured(file: BinaryIO, name: str, rest: int, total: int) -> tuple[FileRecord, int]:
    """Record of an input, and its bytes, unpacked if gzip; InputError for more bytes than the `rest` of the `total`."""
    limit = min(rest, max(SMALL_UNPACKED, LARGEST_EXPANSION * file.seek(0, os.SEEK_END)))
    record, text_bytes = measured(file, name, limit)
    size = max(record.bytes, text_bytes)
    if size > rest:
        raise InputError("invalid-job", f"files of a recipe have at most {total} bytes in all, unpacked", ("files", name))
    if text_bytes > limit:
        detail = f"this gzip file unpacks to more than {LARGEST_EXPANSION} times its size; send the file unpacked"
        raise InputError("invalid-job", detail, ("files", name))
    return record, size


def _job_inputs(planning: Planning, request: RecipeRequest, uploads: Mapping[str, BinaryIO]) -> dict[str, _JobInput]:
    texts = dict(_each_file(planning, request.files or {}))
    names = [*texts, *uploads]
    if len(names) > MOST_FILES:
        raise InputError("invalid-job", f"a recipe is given at most {MOST_FILES} files", ("files",))
    for place, name in enumerate(names):
        if not is_file_name(name):
            detail = "this is no name of a file here: letters, digits, . _ and - are, and / between at most four parts"
            raise InputError("invalid-job", detail, ("files", name[:200]))
        if any(overlap(name, earlier) for earlier in names[:place]):
            raise InputError("invalid-job", "two files have this name, or one lies in the other", ("files", name))
    return {
        **{name: _opened(planning, name, value) for name, value in texts.items()},
        **{name: _JobInput(file) for name, file in uploads.items()},
    }


def _each_file(planning: Planning, files: Mapping[str, str | StoredFile]) -> Iterator[tuple[str, str | StoredFile]]:
    """Files by name; a folder of another job is replaced by its files."""
    for name, value in files.items():
        if isinstance(value, str) or planning.stored is None:
            yield name, value
        else:
            for file in planning.stored.names(value.job, value.file):
                yield name + file.removeprefix(value.file), StoredFile(job=value.job, file=file)


def _opened(planning: Planning, name: str, value: str | StoredFile) -> _JobInput:
    if isinstance(value, str):
        try:
            return _JobInput(BytesIO(value.encode()))
        except UnicodeEncodeError:
            raise InputError("invalid-character", "this text has half of a character", ("files", name)) from None
    if planning.stored is None:
        raise InputError("invalid-job", "there are no jobs here whose files could be read", ("files", name))
    stored = planning.stored.open(value.job, value.file)
    return _JobInput(stored.file, writer_of_numbers(stored.command, value.file), value)


def _lines(request: RecipeRequest, job_inputs: Mapping[str, _JobInput]) -> list[CommandLine]:
    recipe = request.recipe
    # JSON is also YAML.
    raw = (recipe if isinstance(recipe, str) else json.dumps(recipe)).encode("utf-8", "replace")
    if len(raw) > LONGEST_RECIPE:
        raise InputError("invalid-job", f"a recipe has at most {LONGEST_RECIPE} bytes", (RECIPE,))
    plan = parse_recipe(raw, PLACE, request.constants)
    if len(plan.steps) > MOST_STEPS:
        raise InputError("invalid-job", f"a recipe has at most {MOST_STEPS} steps", (RECIPE,))
    values = [value for step in plan.steps for option_values in step.values.values() for value in option_values]
    if len(values) > MOST_VALUES or any(not value.isprintable() for value in values):
        raise InputError("invalid-job", f"a recipe has at most {MOST_VALUES} values, without control characters", (RECIPE,))
    return command_lines(replace(plan, folder="."), StepCommands(server=True), list(job_inputs))


def _check_binary(lines: Sequence[CommandLine], job_inputs: Mapping[str, _JobInput], trusted: bool) -> None:
    """Raise InputError if a step would read a caller's file as binary: only output of steps is known to be well-formed."""
    for number, line in enumerate(lines):
        for option, makers in makers_of(line.step.command).items():
            values = line.step.values.get(option, ())
            for name in (str(PurePosixPath(value)) for value in values):
                maker = next((before for before in lines[:number] if any(overlap(name, path) for path in before.outputs)), None)
                if maker is None:
                    sources = [source for path, source in job_inputs.items() if overlap(name, path)]
                    is_safe = all(
                        source.command in makers or trusted or is_text(_head(source.file), makers == LANGUAGE_MODELS)
                        for source in sources
                    )
                else:
                    is_safe = maker.step.command in makers
                if not is_safe:
                    commands = ", ".join(sorted(makers))
                    detail = (
                        f"{line.step.name}: {name} is none that a step made ({commands}), nor text; others need the scope admin"
                    )
                    raise InputError("forbidden", detail, (RECIPE, line.step.name, option))


def _check_parquet(job_inputs: Mapping[str, _JobInput], trusted: bool) -> None:
    """Refuse Parquet uploads of untrusted callers (InputError): a large C++ library would parse them."""
    for name, source in job_inputs.items():
        source.file.seek(0)
        if source.file.read(len(PARQUET)) == PARQUET and source.command is None and not trusted:
            raise InputError("forbidden", "Parquet is read of a key with the scope admin alone; send .tsv", ("files", name))


def _head(file: BinaryIO, size: int = HEAD_BYTES) -> bytes:
    file.seek(0)
    head = file.read(size)
    file.seek(0)
    return head


def _named(before: Sequence[CommandLine], line: CommandLine, job_inputs: Mapping[str, _JobInput], trusted: bool) -> list[str]:
    """Inputs of the job named by configurations among its inputs; InputError for a missing or unsafe file.

    Output of steps is checked later, before a step reads it.
    """
    outputs = [path for earlier in before for path in earlier.outputs]
    places = []
    for config in configurations_of(line):
        if config not in job_inputs:
            continue
        for file in named_files(_head(job_inputs[config].file, LARGEST_CONFIGURATION + 1), config):
            place = next((place for place in file.places if place in job_inputs), None)
            if place is not None:
                source = job_inputs[place]
                check_numbers(file, place, source.command, trusted, partial(_head, source.file))
                places.append(place)
            elif not any(overlap(place, path) for place in file.places for path in outputs):
                detail = f"{line.step.name}: {config} names {file.name}, which is not given, and no step before writes it"
                raise InputError("invalid-job", detail, (RECIPE, line.step.name, file.feature))
    return places


def _chunk(number: int, line: CommandLine, sizes: Mapping[str, int], configuration_files: Sequence[str]) -> Json:
    paths = [*line.reads, *configuration_files]
    return {
        "number": number,
        "step": line.step.name,
        "command": line.step.command,
        "line": typed_line(line),
        "arguments": list(line.arguments),
        "reads": list(line.reads),
        "configurations": list(configurations_of(line)),
        "writes": list(line.writes),
        "resumes": list(line.writes) if line.resumes else [],
        "prints": line.prints,
        "characters": sum(size for name, size in sizes.items() if is_within(name, paths)),
    }


def amount_of_step(chunk: Mapping[str, Any]) -> Amount:
    """Amount of a step for quotas: the unpacked bytes that it reads from the job's inputs, counted as characters."""
    return Amount(0, chunk["characters"])
