"""Steps of a recipe's job: each runs in an empty folder with its inputs, and its outputs are stored before the next step."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.errors import InputError
from app.operations.job_files import FILES, JobFiles, made_file
from app.operations.operation import Context, Json, Output
from app.smt.recipes.command_lines import is_file_name, is_within
from app.smt.recipes.configurations import (
    HEAD_BYTES,
    LARGEST_CONFIGURATION,
    check_numbers,
    named_files,
    place_of,
    writer_of_numbers,
)
from app.smt.recipes.manifests import record_of
from app.smt.recipes.process import Bounds, StepFolder, run_command
from app.smt.recipes.resuming import Resuming

__all__ = ["finish_recipe", "work_step"]

MOST_OUTPUTS: Final = 1000
# Suffix of the file of sparse weights that tuning writes beside a configuration, under its name.
SPARSE_WEIGHTS: Final = ".sparse-weights"
WITH_SPARSE_WEIGHTS: Final = frozenset({"nbest tune", "smt samplerank"})


def work_step(context: Context, chunk: Json) -> Output:
    """Run one step and store its outputs."""
    files, limits = context.files, context.params["limits"]
    if files is None:
        raise InputError("invalid-job", "a server runs recipes as jobs; here assay corpus run does")
    step = chunk["step"]
    context.report(step, 0.0)
    # Outputs of this step from a killed worker are made again.
    earlier = {name: entry for name, entry in (context.published(FILES) or {}).items() if entry["step"] != step}
    job_files: Json = {**context.params["inputs"], **earlier}
    inputs = {name: job_files[name] for name in sorted(job_files) if is_within(name, chunk["reads"])}
    rest = limits["bytes"] - sum(entry["bytes"] for entry in job_files.values())
    with files.folder() as folder:
        place = StepFolder(folder)
        place.make()
        for name, entry in inputs.items():
            _lay(files, entry["role"], place.work / name)
            context.report(step, 0.0)
        for config in chunk.get("configurations", ()):
            for name in _named(files, config, job_files, context.params.get("trusted", False)):
                if name not in inputs:
                    inputs[name] = job_files[name]
                    _lay(files, job_files[name]["role"], place.work / name)
                    context.report(step, 0.0)
        for path in (*chunk["writes"], *([chunk["prints"]] if chunk["prints"] else [])):
            (place.work / path).parent.mkdir(parents=True, exist_ok=True)
        resuming = Resuming(context, files, chunk["number"], chunk.get("resumes", ()), limits["stored_bytes"])
        for name, role in resuming.stored_files():
            _lay(files, role, place.work / name)
            resuming.restore_time(name, place.work / name)
            context.report(step, 0.0)

        def watch(message: str) -> None:
            context.report(f"{step}: {message}" if message else step, 0.0)
            resuming.look(place.work)

        bounds = Bounds(limits["seconds"], limits["memory"], rest, files.least_free)
        messages = run_command(step, chunk["arguments"], place, chunk["prints"], bounds, watch)
        outputs = _outputs(place.work, chunk)
        size = sum(path.stat().st_size for path in outputs.values())
        if size > rest:
            raise InputError("too-much-work", f"{step}: files of a recipe have too many bytes in all", ("recipe", step))
        entries: Json = {}
        for name, path in outputs.items():
            role = resuming.role(name)
            with path.open("rb") as file:
                record = record_of(file, name, limits["bytes"])
                context.report(f"{step}: {name}", 0.0)
                if not resuming.holds(name, path):
                    files.keep(role, file, limits["stored_bytes"])
            entries[name] = {
                "role": role,
                "sha256": record.sha256,
                "bytes": record.bytes,
                "lines": record.lines,
                "step": step,
                "command": chunk["command"],
            }
        context.publish(FILES, {**earlier, **entries})
        resuming.end(list(entries))
    row = {
        "step": step,
        "command": chunk["line"],
        "version": __version__,
        "inputs": [made_file(name, entry) for name, entry in inputs.items()],
        "outputs": [made_file(name, entry) for name, entry in entries.items()],
        "told": messages,
    }
    return {"rows": [row]}


def _lay(files: JobFiles, role: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        for piece in files.pieces(role):
            file.write(piece)


def _named(files: JobFiles, config: str, job_files: Json, trusted: bool) -> Iterator[str]:
    """Files of the job named by a configuration; InputError for a file outside the job, or a binary file from no step."""
    if config not in job_files:
        raise InputError("invalid-job", f"{config} is no file of the job", ("recipe", config))
    raw = _head(files, job_files[config]["role"], LARGEST_CONFIGURATION + 1)
    for file in named_files(raw, config):
        name = place_of(file, config, job_files)
        entry = job_files[name]
        command = entry["command"] if entry["step"] is None else writer_of_numbers(entry["command"], name)
        check_numbers(file, name, command, trusted, partial(_head, files, entry["role"]))
        yield name


def _head(files: JobFiles, role: str, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file."""
    head = b""
    for piece in files.pieces(role):
        head += piece[: size - len(head)]
        if len(head) >= size:
            break
    return head


def _outputs(work: Path, chunk: Json) -> dict[str, Path]:
    """Outputs of a step by name; InputError for a missing output."""
    names = [*chunk["writes"], *([chunk["prints"]] if chunk["prints"] else [])]
    outputs: dict[str, Path] = {}
    for name in names:
        if not (work / name).exists():
            raise InputError("invalid-job", f"{chunk['step']} ended and has not written {name}", ("recipe", chunk["step"]))
        outputs |= {path.relative_to(work).as_posix(): path for path in _files(work / name)}
        beside = Path(name).with_suffix(SPARSE_WEIGHTS)
        if chunk.get("command") in WITH_SPARSE_WEIGHTS and (work / beside).is_file():
            outputs[beside.as_posix()] = work / beside
    # Marks of commands begin with a dot, so `is_file_name` leaves them out.
    outputs = {name: path for name, path in outputs.items() if is_file_name(name)}
    if len(outputs) > MOST_OUTPUTS:
        raise InputError("too-much-work", f"{chunk['step']}: a step makes at most {MOST_OUTPUTS} files", ("recipe", chunk["step"]))
    return outputs


def _files(path: Path) -> Iterator[Path]:
    """A file, or all files of a folder, without links, since no step makes links."""
    if path.is_symlink():
        return
    if path.is_file():
        yield path
        return
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            inner = Path(folder) / name
            if inner.is_file() and not inner.is_symlink():
                yield inner


def finish_recipe(context: Context, outputs: Iterable[Output]) -> dict[str, Any]:
    """Answer with all files of the job, inputs first."""
    job_files: Json = {**context.params["inputs"], **(context.published(FILES) or {})}
    return {FILES: [made_file(name, entry) for name, entry in job_files.items()]}
