"""The steps of a recipe's job: each in an empty folder with what it reads, whose outputs are kept before the next begins."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.errors import InputError
from app.operations.job_files import FILES, JobFiles, made_file
from app.operations.operation import Context, Json, Output
from app.smt.recipes.command_lines import is_file_name
from app.smt.recipes.configurations import LARGEST_CONFIGURATION, LOOKED_AT, check_numbers, named_files, place_of, writer_of_numbers
from app.smt.recipes.manifests import record_of
from app.smt.recipes.process import Bounds, StepFolder, run_command
from app.smt.recipes.resuming import Resuming

__all__ = ["finish_recipe", "work_step"]

MOST_MADE: Final = 1000
# Tuning writes such a file beside a configuration with sparse features, under the name of the configuration.
SPARSE_WEIGHTS: Final = ".sparse-weights"
WITH_SPARSE_WEIGHTS: Final = frozenset({"nbest tune", "smt samplerank"})


def work_step(context: Context, chunk: Json) -> Output:
    """Run one step, and keep what it made."""
    files, limits = context.files, context.params["limits"]
    if files is None:
        raise InputError("invalid-job", "a server runs recipes as jobs; here assay corpus run does")
    step = chunk["step"]
    context.report(step, 0.0)
    # What a worker that was killed has kept of this step is made again.
    made = {name: entry for name, entry in (context.published(FILES) or {}).items() if entry["step"] != step}
    there: Json = {**context.params["inputs"], **made}
    read = {name: there[name] for name in sorted(there) if _is_in(name, chunk["reads"])}
    left = limits["bytes"] - sum(entry["bytes"] for entry in there.values())
    with files.folder() as folder:
        place = StepFolder(folder)
        place.make()
        for name, entry in read.items():
            _lay(files, entry["role"], place.work / name)
            context.report(step, 0.0)
        for config in chunk.get("configurations", ()):
            for name in _named(files, config, there, context.params.get("trusted", False)):
                if name not in read:
                    read[name] = there[name]
                    _lay(files, there[name]["role"], place.work / name)
                    context.report(step, 0.0)
        for path in (*chunk["writes"], *([chunk["prints"]] if chunk["prints"] else [])):
            (place.work / path).parent.mkdir(parents=True, exist_ok=True)
        resuming = Resuming(context, files, chunk["number"], chunk.get("resumes", ()), limits["stored_bytes"])
        for name, role in resuming.left():
            _lay(files, role, place.work / name)
            resuming.laid(name, place.work / name)
            context.report(step, 0.0)

        def watch(told: str) -> None:
            context.report(f"{step}: {told}" if told else step, 0.0)
            resuming.look(place.work)

        bounds = Bounds(limits["seconds"], limits["memory"], left, files.least_free)
        told = run_command(step, chunk["arguments"], place, chunk["prints"], bounds, watch)
        outputs = _outputs(place.work, chunk)
        size = sum(path.stat().st_size for path in outputs.values())
        if size > left:
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
        context.publish(FILES, {**made, **entries})
        resuming.end(list(entries))
    row = {
        "step": step,
        "command": chunk["line"],
        "version": __version__,
        "inputs": [made_file(name, entry) for name, entry in read.items()],
        "outputs": [made_file(name, entry) for name, entry in entries.items()],
        "told": told,
    }
    return {"rows": [row]}


def _is_in(name: str, paths: Iterable[str]) -> bool:
    return any(name == path or name.startswith(f"{path}/") for path in paths)


def _lay(files: JobFiles, role: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        for piece in files.pieces(role):
            file.write(piece)


def _named(files: JobFiles, config: str, there: Json, trusted: bool) -> Iterator[str]:
    """Files of the job that a configuration names; InputError where it names others, or numbers that no step has written."""
    if config not in there:
        raise InputError("invalid-job", f"{config} is no file of the job", ("recipe", config))
    raw = _head(files, there[config]["role"], LARGEST_CONFIGURATION + 1)
    for named in named_files(raw, config):
        name = place_of(named, config, there)
        entry = there[name]
        command = entry["command"] if entry["step"] is None else writer_of_numbers(entry["command"], name)
        check_numbers(named, name, command, trusted, partial(_head, files, entry["role"]))
        yield name


def _head(files: JobFiles, role: str, size: int = LOOKED_AT) -> bytes:
    """The first bytes of a file."""
    head = b""
    for piece in files.pieces(role):
        head += piece[: size - len(head)]
        if len(head) >= size:
            break
    return head


def _outputs(work: Path, chunk: Json) -> dict[str, Path]:
    """What a step made, by name; InputError where it lacks what it was to make."""
    made = [*chunk["writes"], *([chunk["prints"]] if chunk["prints"] else [])]
    outputs: dict[str, Path] = {}
    for name in made:
        if not (work / name).exists():
            raise InputError("invalid-job", f"{chunk['step']} ended and has not written {name}", ("recipe", chunk["step"]))
        outputs |= {path.relative_to(work).as_posix(): path for path in _files(work / name)}
        beside = Path(name).with_suffix(SPARSE_WEIGHTS)
        if chunk.get("command") in WITH_SPARSE_WEIGHTS and (work / beside).is_file():
            outputs[beside.as_posix()] = work / beside
    # A command's own marks begin with a dot.
    outputs = {name: path for name, path in outputs.items() if is_file_name(name)}
    if len(outputs) > MOST_MADE:
        raise InputError("too-much-work", f"{chunk['step']}: a step makes at most {MOST_MADE} files", ("recipe", chunk["step"]))
    return outputs


def _files(path: Path) -> Iterator[Path]:
    """A file, or those of a folder; no links, which no step makes."""
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
    """All files, those that were given first."""
    there: Json = {**context.params["inputs"], **(context.published(FILES) or {})}
    return {FILES: [made_file(name, entry) for name, entry in there.items()]}
