"""Operations that compute nothing worth knowing, and a worker process of them: what jobs do can be seen without an engine."""

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps
from app.registry.artifacts import LocalArtifacts
from app.running.deadline import check_deadline
from app.server.jobs import lease
from app.server.jobs.assistant import Assistant
from app.server.jobs.context import Tools
from app.server.jobs.presence import hold_presence
from app.server.jobs.worker import Worker, run_until_told
from app.server.store import open_database, queue
from app.settings import Settings

__all__ = ["FAKES", "RECORDED", "fake_tools", "one_step"]

RECORDED = 200


class Numbers(Body):
    numbers: list[int]


def split(planning: Planning, request: Numbers) -> Plan:
    return Plan("learn", {}, [(1, {"n": n}) for n in request.numbers])


def double(context: Context, part: Json) -> Output:
    return {"rows": [{"n": n, "double": 2 * n} for n in part["numbers"]], "carry": len(part["numbers"])}


def learn(context: Context, outputs: Iterable[Output]) -> Json:
    """A descent of many steps, each of which needs the one before; what is computed is noted in a file."""
    state = np.full(3, float(sum(output["carry"] for output in outputs)))
    curve: list[float] = context.published("curve") or []
    for step in range(RECORDED):
        state = context.recall(lambda state=state, step=step: one_step(context, state, step))
        context.report("learning", (step + 1) / RECORDED)
        if step % 50 == 0 and step // 50 >= len(curve):
            curve.append(float(state[0]))
            context.publish("curve", curve)
    return {"state": [value.hex() for value in state.tolist()], "curve": curve}


def one_step(context: Context, state: Float64s, step: int) -> Float64s:
    time.sleep(context.params.get("seconds", 0.02))
    with Path(context.params["log"]).open("a") as log:
        log.write(f"{step}\n")
    return np.cos(state + step) / 3


def record_in_chunks(context: Context, part: Json) -> Output:
    state = np.zeros(2)
    for step in range(20):
        state = context.recall(lambda state=state, step=step: one_step(context, state, step + 100 * part["numbers"][0]))
    return {"rows": [{"state": state.tolist()}]}


def is_deaf(wait: Callable[[float], object]) -> Callable[[Context, Iterable[Output]], Json]:
    def finish(context: Context, outputs: Iterable[Output]) -> Json:
        context.report("waiting", 0.0)
        with Path(context.params["log"]).open("a") as log:
            log.write(f"{os.getpid()}\n")
        wait(context.params["seconds"])
        return {}

    return finish


def hold_the_lock(seconds: float) -> None:
    # The C library's sleep, without letting other threads of Python run; a signal wakes it.
    left = int(seconds)
    while left:
        left = ctypes.PyDLL(None).sleep(left)


def refuse(context: Context, outputs: Iterable[Output]) -> Json:
    raise InputError("invalid-training-data", "there are too few rows", ("segments",))


def breaks(context: Context, outputs: Iterable[Output]) -> Json:
    context.recall(lambda: np.zeros(1))
    raise ZeroDivisionError


def swallows(context: Context, outputs: Iterable[Output]) -> Json:
    """Takes whatever a step raises for a failure of one of many attempts."""
    for _ in range(1000):
        try:
            context.recall(lambda: one_step(context, np.zeros(1), 0))
        except Exception:
            continue
    return {}


def computes(context: Context, outputs: Iterable[Output]) -> Json:
    """A long computation that has no journal, and asks between its parts whether anybody waits, as those of calls do."""
    for _ in range(1000):
        check_deadline()
        time.sleep(0.01)
    return {}


def square(context: Context, part: Json) -> Output:
    """Squares, and the process that computed them; a 13 is refused, and a 0 breaks the step."""
    rows = []
    for n in part["numbers"]:
        if n == 13:
            raise InputError("segment-too-long", "13 is no number here", ("segments", 13))
        context.report("squaring", 1 / n)
        until = time.monotonic() + context.params.get("seconds", 0.0)
        while time.monotonic() < until:
            check_deadline()
            time.sleep(0.005)
        rows.append({"n": n, "square": n * n, "process": os.getpid()})
    return {"rows": rows}


def processes_of(outputs: Iterable[Output]) -> set[int]:
    return {row["process"] for output in outputs for row in output["rows"]}


def operation(
    name: str,
    finish: Callable[[Context, Iterable[Output]], Any],
    work: Callable[[Context, Json], Output] = double,
    parallel: bool = False,
) -> Operation[Any, Any]:
    steps = Steps(split, work, finish, rows="numbers", parallel=parallel)
    return Operation(name, name, Numbers, dict, lambda *_: None, lambda *_: {}, id=f"{name}Numbers", steps=steps)


FAKES: dict[str, Operation[Any, Any]] = {
    made.name: made
    for made in (
        operation("learn", learn),
        operation("record", lambda context, outputs: {"rows": sum(len(output["rows"]) for output in outputs)}, record_in_chunks),
        operation("square", lambda context, outputs: {"processes": sorted(processes_of(outputs))}, square, parallel=True),
        operation("deaf", is_deaf(time.sleep)),
        operation("stone-deaf", is_deaf(hold_the_lock)),
        operation("refuse", refuse),
        operation("break", breaks),
        operation("swallow", swallows),
        operation("compute", computes),
        Operation("never", "never", Numbers, dict, lambda *_: None, lambda *_: {}, id="neverAnswer"),
    )
}


def fake_tools(folder: Path) -> Tools:
    engine: Any = SimpleNamespace(registry=SimpleNamespace(refresh=lambda: None))
    return Tools(engine, LocalArtifacts(folder))


def main() -> None:
    settings = Settings()
    presence = hold_presence(settings.workers_dir, sys.argv[2])
    tools = fake_tools(settings.trained_models_dir)
    assistant = Assistant(FAKES, tools, (presence,)) if "assisted" in sys.argv else None
    # Faster than outside tests, and with less patience.
    vars(lease).update(LOOK_SECONDS=0.1, GRACE_SECONDS=1.0)
    vars(queue).update(MOST_ATTEMPTS=1)
    database = open_database(settings.sqlalchemy_url, migrate=False, idle_seconds=settings.lease_seconds)
    jobs = queue.JobQueue(database, settings.lease_seconds)
    run_until_told(Worker(FAKES, tools, jobs, sys.argv[2], int(sys.argv[1]), settings.drain_seconds, assistant))
