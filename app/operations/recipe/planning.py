"""A recipe as a job: its steps as chunks, each with the command line that it is, and the files that it came in.

No name of a caller's is ever a path of the server's: names are held to `is_file_name` and become places below an empty folder,
in which each step finds what it reads and nothing else.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from app.errors import InputError
from app.operations.operation import Json, Plan, Planning
from app.operations.recipe.command_lines import CommandLine, command_lines, is_file_name, shown
from app.operations.recipe.manifests import record_of
from app.operations.recipe.reading import Recipe, parse_recipe
from app.operations.recipe.request import INPUT, MOST_FILES, RECIPE, RecipeRequest, StoredFile, check_recipe
from app.operations.recipe.server_steps import BINARY, MODELS, SERVER_STEPS
from app.rates import Amount

__all__ = ["amount_of_step", "plan_form", "plan_recipe"]

# What the recipe is called in what is said of it.
PLACE: Final = Path("recipe.yaml")
# Bytes of a file that gzip has packed whose lines are counted while somebody waits.
LINES_COUNTED: Final = 10_000_000
LONGEST_RECIPE: Final = 100_000
MOST_STEPS: Final = 100
MOST_VALUES: Final = 10_000
# Text has none of these, and what programs map into memory does.
NUL: Final = b"\0"
PARQUET: Final = b"PAR1"
GZIP: Final = b"\x1f\x8b"
LOOKED_AT: Final = 4096


@dataclass(frozen=True)
class _Given:
    """A file that came with a job, or out of another one."""

    file: BinaryIO
    command: str | None = None
    origin: StoredFile | None = None


def plan_form(planning: Planning, params: Json, files: Mapping[str, BinaryIO]) -> Plan:
    """Plan the job of a form: its files are the recipe, and `input:NAME` each of those that it reads."""
    recipe = files.get(RECIPE)
    other = next((role for role in files if role != RECIPE and not role.startswith(INPUT)), None)
    if other is not None:
        raise InputError("invalid-job", f"there is no such field; files of a form are {RECIPE} and {INPUT}NAME", (other,))
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
    """Plan a job: every step is looked at before anything is kept."""
    check_recipe(request, planning.limits)
    limits = planning.limits.recipe
    assert limits is not None
    given = _given(planning, request, uploads or {})
    lines = _lines(request, given)
    room = None if planning.stored is None else planning.stored.most_bytes
    inputs: Json = {}
    left = limits.bytes
    for number, (name, one) in enumerate(given.items()):
        record = record_of(one.file, name, LINES_COUNTED)
        left -= record.bytes
        if left < 0:
            raise InputError("invalid-job", f"files of a recipe have at most {limits.bytes} bytes in all", ("files", name))
        origin = None if one.origin is None else one.origin.model_dump()
        inputs[name] = {"role": f"given-{number}", **asdict(record), "step": None, "command": one.command, "of": origin}
    _check_binary(lines, given, planning.trusted)
    _check_parquet(given, planning.trusted)
    params = {
        "recipe": request.recipe,
        "constants": request.constants,
        "inputs": inputs,
        "limits": {**asdict(limits), "stored_bytes": room},
    }
    files = {inputs[name]["role"]: one.file for name, one in given.items()}
    return Plan("recipe", params, [(1, _chunk(number, line, inputs)) for number, line in enumerate(lines)], files)


def _given(planning: Planning, request: RecipeRequest, uploads: Mapping[str, BinaryIO]) -> dict[str, _Given]:
    texts = request.files or {}
    names = [*texts, *uploads]
    if len(names) > MOST_FILES:
        raise InputError("invalid-job", f"a recipe is given at most {MOST_FILES} files", ("files",))
    for place, name in enumerate(names):
        if not is_file_name(name):
            detail = "this is no name of a file here: letters, digits, . _ and - are, and / between at most four parts"
            raise InputError("invalid-job", detail, ("files", name[:200]))
        if any(_overlap(name, other) for other in names[:place]):
            raise InputError("invalid-job", "two files have this name, or one lies in the other", ("files", name))
    return {
        **{name: _opened(planning, name, value) for name, value in texts.items()},
        **{name: _Given(file) for name, file in uploads.items()},
    }


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _opened(planning: Planning, name: str, value: str | StoredFile) -> _Given:
    if isinstance(value, str):
        try:
            return _Given(BytesIO(value.encode()))
        except UnicodeEncodeError:
            raise InputError("invalid-character", "this text has half of a character", ("files", name)) from None
    if planning.stored is None:
        raise InputError("invalid-job", "there are no jobs here whose files could be read", ("files", name))
    stored = planning.stored.open(value.job, value.file)
    return _Given(stored.file, stored.command, value)


def _lines(request: RecipeRequest, given: Mapping[str, _Given]) -> list[CommandLine]:
    recipe = request.recipe
    # JSON is YAML.
    raw = (recipe if isinstance(recipe, str) else json.dumps(recipe)).encode("utf-8", "replace")
    if len(raw) > LONGEST_RECIPE:
        raise InputError("invalid-job", f"a recipe has at most {LONGEST_RECIPE} bytes", (RECIPE,))
    parsed = parse_recipe(raw, PLACE, request.constants)
    _check_size(parsed)
    return command_lines(replace(parsed, folder="."), SERVER_STEPS, list(given))


def _check_size(recipe: Recipe) -> None:
    if len(recipe.steps) > MOST_STEPS:
        raise InputError("invalid-job", f"a recipe has at most {MOST_STEPS} steps", (RECIPE,))
    values = [value for step in recipe.steps for several in step.values.values() for value in several]
    if len(values) > MOST_VALUES or any(not value.isprintable() for value in values):
        raise InputError("invalid-job", f"a recipe has at most {MOST_VALUES} values, without control characters", (RECIPE,))


def _check_binary(lines: Sequence[CommandLine], given: Mapping[str, _Given], trusted: bool) -> None:
    """InputError where a step would take a caller's bytes for numbers: those alone that steps made are what they should be."""
    for number, line in enumerate(lines):
        for (command, option), makers in BINARY.items():
            values = line.step.values.get(option, ()) if line.step.command == command else ()
            for name in (str(PurePosixPath(value)) for value in values):
                maker = next((before for before in lines[:number] if any(_overlap(name, path) for path in before.made)), None)
                if maker is None:
                    files = [one for path, one in given.items() if _overlap(name, path)]
                    fine = all(one.command in makers or trusted or _is_text(one.file, makers == MODELS) for one in files)
                else:
                    fine = maker.step.command in makers
                if not fine:
                    named = ", ".join(sorted(makers))
                    detail = f"{line.step.name}: {name} is none that a step made ({named}), nor text; others need the scope admin"
                    raise InputError("forbidden", detail, (RECIPE, line.step.name, option))


def _check_parquet(given: Mapping[str, _Given], trusted: bool) -> None:
    """InputError where a caller's own file is Parquet, which a large library in C++ would take apart."""
    for name, one in given.items():
        one.file.seek(0)
        if one.file.read(len(PARQUET)) == PARQUET and one.command is None and not trusted:
            raise InputError("forbidden", "Parquet is read of a key with the scope admin alone; send .tsv", ("files", name))


def _is_text(file: BinaryIO, packed: bool) -> bool:
    """Whether it is text, or gzip, whatever is in that, where something that is `packed` is read as text alone."""
    file.seek(0)
    head = file.read(LOOKED_AT)
    file.seek(0)
    return NUL not in head or (packed and head.startswith(GZIP))


def _chunk(number: int, line: CommandLine, inputs: Json) -> Json:
    read = [name for name in inputs if any(name == path or name.startswith(f"{path}/") for path in line.reads)]
    return {
        "number": number,
        "step": line.step.name,
        "command": line.step.command,
        "line": shown(line),
        "arguments": list(line.arguments),
        "reads": list(line.reads),
        "writes": list(line.writes),
        "prints": line.prints,
        "characters": sum(inputs[name]["bytes"] for name in read),
    }


def amount_of_step(chunk: Mapping[str, Any]) -> Amount:
    """What a step counts for in quotas: the bytes that it reads of what was given, as characters."""
    return Amount(0, chunk["characters"])
