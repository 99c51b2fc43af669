"""Claims of folders: one run at a time writes results there, and none in the place of an input or of a file of others."""

import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from app import __version__
from app.errors import InputError
from app.scale.files.places import clear, files_in, identity_of, local_path, place_at, write_json
from app.scale.files.shards import Shard, place_name

__all__ = ["FOLDER", "Claim", "check_outputs", "claim_of"]

# Folder of the plan and of the records of finished shards, beside the results.
FOLDER: Final = "_assay"
# Facts of a plan that all runs with results in one folder have in common.
COMMON: Final = ("version", "task", "models")
# Bytes about the holder of a folder that a message quotes.
HOLDER_LENGTH: Final = 200


@dataclass(frozen=True)
class Claim:
    """A folder that a run may write to: digest of the run's task, and names of its results that are there."""

    task: str
    results: frozenset[str]


@contextmanager
def claim_of(task: Any, shards: Sequence[Shard], cards: Mapping[str, str], replace: bool = False) -> Iterator[Claim]:
    """The claim of a task's folder, until the end of the block or of this process.

    InputError (`invalid-request`) for a folder with results of another run or in use by one, and as of `check_outputs`.
    """
    check_outputs(task, shards, replace)
    facts: dict[str, Any] = {"version": __version__, "task": _facts_of(task), "models": dict(cards)}
    facts = json.loads(json.dumps(facts))
    options = {name: fact for name, fact in facts["task"].items() if name not in getattr(task, "OUTCOMES", ())}
    plan = {**facts, "task": options, "outputs": [task.output(shard) for shard in shards]}
    with _lock(task.out) as is_held:
        earlier = _plan_in(task.out)
        results = _earlier_results(task.out, earlier, plan)
        if earlier != plan:
            write_json(_address(task.out), plan)
        _check_plan(task.out, plan)
        try:
            yield Claim(hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest(), results)
        finally:
            if is_held:
                # Nobody else writes here meanwhile.
                clear(task.out)
                clear(f"{task.out}/{FOLDER}", below=True)
        _check_plan(task.out, plan)


def check_outputs(task: Any, shards: Sequence[Shard], replace: bool = False) -> None:
    """InputError (`invalid-request`) for results of one name, for inputs as results, and for files that no plan has.

    With `replace`, results may take the place of files that are no inputs.
    """
    inputs = {identity_of(shard.address) for shard in shards}
    shards_of_outputs: dict[str, Shard] = {}
    for shard in shards:
        name = task.output(shard)
        first = shards_of_outputs.setdefault(name, shard)
        if first is not shard:
            detail = f"results of {first.address} and {shard.address} would both be {name}; rename one, or use two folders"
            raise InputError("invalid-request", detail, (place_name(shard.address),))
        if identity_of(f"{task.out}/{name}") in inputs:
            detail = f"{task.out}/{name} is an input of this command, so it cannot be an output; name another folder"
            raise InputError("invalid-request", detail, ("--out",))
    existing = _names_in(task.out) & shards_of_outputs.keys()
    if existing and not replace:
        earlier = _plan_in(task.out)
        foreign = sorted(existing.difference([] if earlier is None else earlier["outputs"]))
        if foreign:
            detail = f"{task.out}/{foreign[0]} is there already, and no result of this command; move it, or name another folder"
            raise InputError("invalid-request", detail, ("--out",))


def _earlier_results(out: str, earlier: Any, plan: Mapping[str, Any]) -> frozenset[str]:
    """Names of the results in a folder that an earlier run of the plan's task has written."""
    results = frozenset() if earlier is None else _names_in(out).intersection(earlier["outputs"])
    different = [name for name in COMMON if results and earlier[name] != plan[name]]
    if different:
        reason = f"results of another run or of another version of the model (other {', '.join(different)})"
        raise InputError("invalid-request", f"{out} has {reason}; remove it, or name another folder", ("--out",))
    leftovers = sorted(results.difference(plan["outputs"]))
    if leftovers:
        reason = f"is one of {len(leftovers)} results of inputs that are gone or have other parts now"
        raise InputError("invalid-request", f"{out}/{leftovers[0]} {reason}; remove them, or name another folder", ("--out",))
    return results


def _facts_of(task: Any) -> dict[str, Any]:
    """Options of a task, without the names of its folders, which may be renamed."""
    facts = {"kind": type(task).__name__, **asdict(task)}
    for field in fields(task):
        value = getattr(task, field.name)
        if hasattr(value, "out") and hasattr(value, "write"):
            facts[field.name] = _facts_of(value)
    del facts["out"]
    return facts


def _address(out: str) -> str:
    return f"{out}/{FOLDER}/plan.json"


def _names_in(out: str) -> frozenset[str]:
    return frozenset(map(place_name, files_in(out)))


def _plan_in(out: str) -> Any:
    """The plan of a folder, or None if it has none; InputError (`invalid-request`) if it cannot be read."""
    place = place_at(_address(out))
    if place is None:
        return None
    with place.open() as file:
        text = file.read()
    try:
        plan = json.loads(text)
    except ValueError:
        plan = None
    match plan:
        case {"outputs": list(outputs)} if plan.keys() >= set(COMMON) and all(isinstance(name, str) for name in outputs):
            return plan
    detail = f"{_address(out)} is damaged, so that nothing says which run has results there"
    raise InputError("invalid-request", f"{detail}; remove {out}, or name another folder", ("--out",))


def _check_plan(out: str, plan: Mapping[str, Any]) -> None:
    """InputError (`invalid-request`) if another run has written its plan: stores of objects let two runs begin at once."""
    if _plan_in(out) != plan:
        detail = f"{out} was taken by another run meanwhile, so that results may be of both"
        raise InputError("invalid-request", f"{detail}; remove it, and use a folder for each", ("--out",))


@contextmanager
def _lock(out: str) -> Iterator[bool]:
    """Hold a local folder until the end of the block or of this process; False where nothing can be held."""
    path = local_path(f"{out}/{FOLDER}/lock")
    if path is None:
        yield False
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        is_held = True
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read(HOLDER_LENGTH) or "another run"
            detail = f"{out} is in use by {holder}; wait for its end, or name another folder"
            raise InputError("invalid-request", detail, ("--out",)) from None
        except OSError:
            # Some file systems of networks have no locks.
            is_held = False
        file.truncate(0)
        file.write(f"process {os.getpid()} of {socket.gethostname()}")
        file.flush()
        yield is_held
