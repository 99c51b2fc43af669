"""Steps of a recipe under a worker: what they make is kept and goes on, whoever is killed; bounds; and the process of a step."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load
from sqlalchemy import Engine as Database

from app.errors import InputError
from app.operations.operation import Plan, Planning
from app.operations.parts.limits import RecipeLimits, RequestLimits
from app.server.jobs import Worker
from app.server.jobs.context import JobContext, Tools
from app.server.jobs.job_files import Scratch
from app.server.store import JobOrigin, JobQueue, JobStore, JobView
from app.server.store.usage import UsageStore
from app.smt import recipes as recipe
from app.smt.recipes import process
from app.smt.recipes import steps as recipe_steps
from app.smt.recipes.planning import plan_recipe
from app.smt.recipes.process import Bounds, StepFolder, run_command
from app.smt.recipes.request import RecipeRequest
from app.smt.recipes.resuming import Resuming
from app.smt.reordering.models.stored import TrainingOptions
from app.smt.reordering.models.training import train_on_files
from tests.server.jobs.fake_operations import fake_tools

OPERATIONS = {"recipe": recipe.operation}
# Three steps, of which each reads what the one before has made.
STEPS = [
    {"name": name, "corpus filter": {"source": source, "target": "b", "out-source": made, "out-target": f"{made}.b"}}
    for name, source, made in (("one", "a", "c"), ("two", "c", "d"), ("three", "d", "e"))
]
ROOT = Path(__file__).parents[3]
# For tests of files alone; other tests show that both databases hand files on and keep them.
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def store(database: Database) -> JobStore:
    return JobStore(database)


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, 30.0)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    fake = fake_tools(tmp_path)
    return Tools(fake.engine, fake.artifacts, scratch=Scratch(tmp_path / "steps", 0))


class FakeCommands:
    """In place of `run_command`: copies a line of what a step reads, and notes which steps were run."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def __call__(self, step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        self.ran.append(step)
        source = arguments[arguments.index("--") + 1]
        made = [argument.partition("=")[2] for argument in arguments if argument.startswith("--out-")]
        present = sorted(path.name for path in place.work.iterdir())
        assert present == sorted({source, "b"}), present
        for name in made:
            (place.work / name).write_text((place.work / source).read_text() + f"{step}\n")
        return [f"did {step}"]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> FakeCommands:
    fake = FakeCommands()
    monkeypatch.setattr(recipe_steps, "run_command", fake)
    return fake


def plan(steps: Any = STEPS, files: dict[str, str] | None = None, stored_bytes: int | None = None, **limits: Any) -> Plan:
    engine: Any = None
    bounds = RecipeLimits(**{"bytes": 10**6, "seconds": 20.0, "memory": 4 * 10**9, **limits})
    request = RecipeRequest.model_validate({"recipe": {"steps": steps}, "files": files or {"a": "x y\nz\n", "b": "v w\nw\n"}})
    made = plan_recipe(Planning(engine, RequestLimits(10, 10, 10, 10, bounds), 500), request)
    made.params["limits"]["stored_bytes"] = stored_bytes
    return made


def worked(store: JobStore, queue: JobQueue, tools: Tools, made: Plan) -> JobView:
    store.create(made, JobOrigin("Ana"))
    return taken_up(store, queue, tools)


def taken_up(store: JobStore, queue: JobQueue, tools: Tools, name: str = "w") -> JobView:
    job = queue.take(name)
    assert job is not None
    Worker(OPERATIONS, tools, queue, name, os.getppid(), 20.0).work(job)
    return store.get(job.id)


def content(store: JobStore, job: str, name: str) -> bytes:
    return b"".join(store.pieces(job, store.published(job, "files")[name]["role"]))


def test_steps_hand_on_what_they_make(store: JobStore, queue: JobQueue, tools: Tools, commands: FakeCommands) -> None:
    job = worked(store, queue, tools, plan())
    assert (job.state, job.done, job.total, commands.ran) == ("succeeded", 3, 3, ["one", "two", "three"])
    assert job.summary is not None
    files = {row["name"]: row for row in job.summary["files"]}
    assert list(files) == ["a", "b", "c", "c.b", "d", "d.b", "e", "e.b"]
    assert content(store, job.id, "e") == b"x y\nz\none\ntwo\nthree\n"
    assert (files["e"]["bytes"], files["e"]["lines"], files["e"]["step"], files["a"]["step"]) == (20, 5, "three", None)
    rows = [output["rows"][0] for output in store.outputs(job.id)]
    assert [row["told"] for row in rows] == [["did one"], ["did two"], ["did three"]]
    assert rows[1]["command"] == "assay corpus filter --out-source=d --out-target=d.b -- c b"
    assert [(row["name"], row["sha256"]) for row in rows[1]["inputs"]] == [(name, files[name]["sha256"]) for name in ("b", "c")]
    assert tools.scratch is not None and [path.name for path in tools.scratch.root.iterdir()] == ["held"]


def test_a_killed_worker_goes_on_behind_the_last_step(
    store: JobStore, queue: JobQueue, tools: Tools, commands: FakeCommands, tmp_path: Path
) -> None:
    store.create(plan(), JobOrigin("Ana"))
    job = queue.take("dead")
    assert job is not None
    for number in range(2):
        chunk = queue.next_chunk(job.id)
        assert chunk is not None
        context = JobContext(tools, queue, "dead", job, f"chunk-{number}", lambda: None)
        output = recipe_steps.work_step(context, chunk[1])
        if number == 0:
            queue.save_chunk(job.id, "dead", 0, output)
    # The second step has kept its files and was killed before it could say so; its folder lies there still.
    assert tools.scratch is not None
    (tools.scratch.root / "left").mkdir()
    (tools.scratch.root / "held" / "left").touch()
    before = store.published(job.id, "files")
    queue.release_workers(["dead"])
    commands.ran.clear()
    done = taken_up(store, queue, tools)
    assert (done.state, commands.ran) == ("succeeded", ["two", "three"])
    assert store.published(job.id, "files")["d"] == before["d"]
    assert not (tools.scratch.root / "left").exists()


def test_a_failed_job_is_tried_again_where_it_failed(
    store: JobStore, queue: JobQueue, tools: Tools, commands: FakeCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(step: str, *rest: Any) -> list[str]:
        if step == "two":
            raise InputError("invalid-job", "two: line 3 of c is empty")
        return commands(step, *rest)

    monkeypatch.setattr(recipe_steps, "run_command", refuse)
    job = worked(store, queue, tools, plan())
    assert job.error is not None and (job.state, job.done, job.error["detail"]) == ("failed", 1, "two: line 3 of c is empty")
    # What is done may be fetched.
    assert content(store, job.id, "c") == b"x y\nz\none\n"
    monkeypatch.setattr(recipe_steps, "run_command", commands)
    commands.ran.clear()
    again = store.retry(job.id)
    assert taken_up(store, queue, tools).state == "succeeded"
    assert commands.ran == ["two", "three"] and content(store, again.id, "e").endswith(b"one\ntwo\nthree\n")


def test_a_running_step_is_cancelled(store: JobStore, queue: JobQueue, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.jobs.lease.LOOK_SECONDS", 0.05)

    def wait(step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        store.cancel(made.id)
        for _ in range(1000):
            watch("")
            time.sleep(0.01)
        return []

    monkeypatch.setattr(recipe_steps, "run_command", wait)
    made = store.create(plan(), JobOrigin("Ana"))
    begun = time.monotonic()
    assert taken_up(store, queue, tools).state == "cancelled"
    assert time.monotonic() - begun < 4


def test_what_an_owner_may_not_keep_is_not_kept(
    store: JobStore, queue: JobQueue, tools: Tools, commands: FakeCommands, database: Database
) -> None:
    usage = UsageStore(database)
    store.create(plan(), JobOrigin("Ana"))
    most = usage.stored("Ana") + 30
    other = store.list()[0].id
    store.cancel(other)
    store.remove(other)
    job = worked(store, queue, tools, plan(stored_bytes=most))
    assert job.error is not None and job.error["type"] == "/problems/storage-quota-exceeded"
    # The file that was too much is not there.
    assert job.done == 0 and usage.stored("Ana") <= most
    assert [bool(b"".join(store.pieces(job.id, role_of(name)))) for name in ("c", "c.b")] == [True, False]


def role_of(name: str) -> str:
    nobody: Any = None
    return Resuming(nobody, nobody, 0, (), None).role(name)


def test_a_step_goes_on_with_what_a_killed_worker_left(
    store: JobStore, queue: JobQueue, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On any machine: what `smt train` has done is kept with the job, once its manifest says that it is there."""
    monkeypatch.setattr("app.smt.recipes.resuming.LOOK_SECONDS", 0.0)
    made = plan([{"smt train": {"source": "a", "target": "b", "out": "system", "untuned": "true"}}])

    def begin(step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        system = place.work / "system"
        (system / "text").mkdir(parents=True)
        (system / "tuning.partial").mkdir()
        (system / "text" / "source.txt").write_text("done\n")
        watch("text: pairs 2")
        assert store.published(job.id, "so-far") is None
        (system / "manifest.json").write_text("{}")
        for name in (".lock", ".half", "tuning.partial/round-0.gz"):
            (system / name).write_text("x")
        watch("text: pairs 2")
        (system / "links").write_text("is written still")
        watch("links")
        raise KeyboardInterrupt

    monkeypatch.setattr(recipe_steps, "run_command", begin)
    store.create(made, JobOrigin("Ana"))
    job = queue.take("dead")
    assert job is not None
    chunk = queue.next_chunk(job.id)
    assert chunk is not None
    context = JobContext(tools, queue, "dead", job, "chunk-0", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        recipe_steps.work_step(context, chunk[1])
    context.write()
    assert store.get(job.id).step == "train: links"
    kept = store.published(job.id, "so-far")["files"]
    assert sorted(kept) == ["system/manifest.json", "system/text/source.txt", "system/tuning.partial/round-0.gz"]
    queue.release_workers(["dead"])

    def go_on(step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        system = place.work / "system"
        assert sorted(path.relative_to(system).as_posix() for path in system.rglob("*") if path.is_file()) == [
            "manifest.json", "text/source.txt", "tuning.partial/round-0.gz"
        ]  # fmt: skip
        (system / "tuning.partial" / "round-0.gz").unlink()
        return []

    monkeypatch.setattr(recipe_steps, "run_command", go_on)
    done = taken_up(store, queue, tools)
    assert done.state == "succeeded" and content(store, job.id, "system/text/source.txt") == b"done\n"
    # Of what was on the way nothing stays.
    assert not b"".join(store.pieces(job.id, kept["system/tuning.partial/round-0.gz"]["role"]))
    assert store.published(job.id, "so-far") == {}


@ON_SQLITE
def test_files_have_bytes_in_all(store: JobStore, queue: JobQueue, tools: Tools, commands: FakeCommands) -> None:
    job = worked(store, queue, tools, plan(bytes=40))
    assert job.error is not None and job.error["type"] == "/problems/too-much-work"
    assert "too many bytes" in job.error["detail"]


def named(config: str, **files: str) -> Plan:
    """A recipe whose first step writes the configuration that its second reads."""
    engine: Any = None
    make = {"corpus filter": {"source": "a", "target": "b", "out-source": "made.ini", "out-target": "c"}}
    decode = {"smt decode": {"config": "made.ini", "text": "b"}, "print": "e"}
    request = RecipeRequest.model_validate(
        {"recipe": {"steps": [make, decode]}, "files": {"a": config, "b": "x\n" * config.count("\n"), **files}}
    )
    limits = RequestLimits(10, 10, 10, 10, RecipeLimits(10**6, 20.0, 4 * 10**9))
    return plan_recipe(Planning(engine, limits, 500), request)


@ON_SQLITE
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("t", None),
        ("/etc/passwd", "no name of a file of the job"),
        ("../work/t", "no name of a file of the job"),
        ("other", "no file of the job"),
        ("numbers", "none that a step made"),
        ("made", "none that a step made"),
    ],
)
def test_a_configuration_that_a_step_wrote_is_looked_at_before_it_is_read(
    store: JobStore, queue: JobQueue, tools: Tools, monkeypatch: pytest.MonkeyPatch, path: str, told: str | None
) -> None:
    seen: list[str] = []

    def run(step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        if step == "filter":
            (place.work / "made.ini").write_text((place.work / "a").read_text())
            # Numbers that a step wrote which is no maker of them.
            (place.work / "c").write_bytes(b"ASSAYPT1\0")
        else:
            seen.extend(sorted(path.name for path in place.work.iterdir()))
            (place.work / "e").write_text("")
        return []

    monkeypatch.setattr(recipe_steps, "run_command", run)
    written = {"made": "c"}.get(path, path)
    config = f"[feature]\nPhraseDictionaryMemory name=T num-features=1 path={written}\n[weight]\nT= 1\n"
    job = worked(store, queue, tools, named(config, t="x ||| y ||| 1\n", numbers="ASSAYPT1\0"))
    if told is None:
        assert (job.state, seen) == ("succeeded", ["b", "made.ini", "t"])
        assert [row["name"] for row in list(store.outputs(job.id))[1]["rows"][0]["inputs"]] == ["b", "made.ini", "t"]
    else:
        assert job.error is not None and told in job.error["detail"] and not seen


# The process of a step


@pytest.fixture
def place(tmp_path: Path) -> Iterator[StepFolder]:
    folder = tmp_path / "step"
    folder.mkdir()
    made = StepFolder(folder)
    made.make()
    yield made


# Far more seconds than a step takes beside busy processes.
BOUNDS = Bounds(600.0, 4 * 10**9, 10**6)


def test_a_step_runs_in_its_folder_and_nothing_there_is_code(place: StepFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are called as modules are data; a link that leads out is none of the outputs."""
    for name in ("app", "numpy", "yaml", "sitecustomize", "typer"):
        (place.work / f"{name}.py").write_text("open('ran', 'w').close(); raise SystemExit(0)\n")
    (place.work / "a").write_text("x y\nz\n")
    (place.work / "b").write_text("v w\nw\n")
    monkeypatch.setenv("ASSAY_DATABASE_URL", "postgresql://secret@nowhere/x")
    arguments = ["corpus", "filter", "--out-source=out/c", "--out-target=out/d", "--", "a", "b"]
    (place.work / "out").mkdir()
    assert run_command("s", arguments, place, None, BOUNDS, lambda told: None) == ["kept 2 of 2 pairs"]
    assert (place.work / "out" / "c").read_text() == "x y\nz\n" and not (place.work / "ran").exists()
    (place.work / "out" / "link").symlink_to("/etc/passwd")
    chunk = {"writes": ["out"], "prints": None, "step": "s"}
    assert list(recipe_steps._outputs(place.work, chunk)) == ["out/c", "out/d"]
    with pytest.raises(InputError, match=r"s: .*are of 2 and 1|s: .*b"):
        (place.work / "b").write_text("v\n")
        run_command("s", [*arguments[:2], "--out-source=e", *arguments[4:]], place, None, BOUNDS, lambda told: None)


def test_a_step_opens_nothing_but_its_own(place: StepFolder, tmp_path: Path) -> None:
    """Whatever a command could be made to open: files of the server, those of its owner, and the steps of other jobs."""
    if not landlock():
        pytest.skip("the kernel has no Landlock")
    secret, folder = tmp_path / "secret", tmp_path / "folder"
    secret.write_text("x y\nz\n")
    folder.mkdir()
    (place.work / "a").write_text("x y\nz\n")
    (place.work / "link").symlink_to(secret)
    (place.work / "system.ini").write_text(
        f"[feature]\nPhraseDictionaryMemory name=T num-features=1 path={secret}\n[weight]\nT= 1\n"
    )
    for arguments in (
        ["corpus", "filter", f"--out-source={folder / 'c'}", "--", "a", "a"],
        ["smt", "decode", "--config=system.ini", "--", "a"],
    ):
        with pytest.raises((InputError, RuntimeError), match=r"Permission denied|not there|cannot be"):
            run_command("s", arguments, place, None, BOUNDS, lambda told: None)
    reads = [str(secret), "../../secret", "link", str(folder)]
    program = f"import os\nfor path in {reads!r}:\n    try: os.open(path, os.O_RDONLY)\n    except PermissionError: print(path)\n"
    assert confined(place, program).stdout.splitlines() == reads
    assert not list(folder.iterdir())


def test_a_step_connects_to_nobody(place: StepFolder) -> None:
    if landlock() < 4:
        pytest.skip("the kernel's Landlock knows no connections")
    listening = socket.create_server(("127.0.0.1", 0))
    ended = confined(place, f"import socket; socket.create_connection(('127.0.0.1', {listening.getsockname()[1]}))")
    listening.close()
    assert ended.returncode and "sock.connect" in ended.stderr and "PermissionError" in ended.stderr


def confined(place: StepFolder, program: str) -> subprocess.CompletedProcess[str]:
    """A program under the limits of a step, without what a command imports."""
    limits = [str(os.getpid()), str(4 * 10**9), str(10**6), *[str(place.folder)] * 3, "1", sys.base_prefix]
    command = [sys.executable, "-I", "-S", str(ROOT / "app/smt/recipes/confined.py")]
    # Python without its site packages: their folder is closed too.
    command += [*limits, sys.executable, "-I", "-S", "-c", program]
    return subprocess.run(command, cwd=place.work, capture_output=True, text=True, check=False)


def landlock() -> int:
    """The version of the kernel's Landlock, 0 or less where there is none."""
    return int(ctypes.CDLL(None).syscall(444, None, 0, 1)) if sys.platform == "linux" else 0


@pytest.mark.parametrize(
    ("bounds", "told"),
    [(Bounds(0.3, 4 * 10**9, 10**6), "at most 0.3 seconds"), (Bounds(60.0, 120_000_000, 10**6), "bytes of memory|ended with")],
)
def test_a_step_that_takes_too_much_is_ended(place: StepFolder, bounds: Bounds, told: str) -> None:
    (place.work / "a").write_text("x\n")
    with pytest.raises((InputError, RuntimeError), match=told):
        run_command("s", ["resources", "align", "--save=m", "--", "a", "a"], place, None, bounds, lambda told: None)


def test_a_step_says_what_its_command_said_last(place: StepFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a file that no reader of JSON gets to the end of is refused, as all that is wrong with what was given."""
    monkeypatch.setattr(process, "MEASURE_SECONDS", 0.0)
    (place.work / "a").write_text("".join(f"x{k} y{k % 7} z{k % 90}\n" for k in range(300)))
    told: list[str] = []
    run_command("s", ["smt", "train", "--out=system", "--untuned", "--", "a", "a"], place, None, BOUNDS, told.append)
    assert {word.rstrip(":") for line in told for word in line.split()[:1]} & {"text", "links", "phrases", "tables", "model"}
    (place.work / "l").write_text("0 ||| a ||| x= 1 ||| 1\n")
    (place.work / "w").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"JSON|lists in lists"):
        run_command("s", ["nbest", "rerank", "--weights=w", "--", "l"], place, "o", BOUNDS, told.append)


def test_a_full_disk_is_waited_for(place: StepFolder) -> None:
    with pytest.raises(OSError, match="No space left"):
        run_command("s", [], place, None, Bounds(1.0, 10**9, 1, 2**62), lambda told: None)


def test_a_step_ends_with_its_worker(place: StepFolder) -> None:
    program = (
        "from pathlib import Path\nfrom app.smt.recipes.process import *\n"
        f"run_command('s', ['lm', '--language=de', '--out=lm', '--', 'fifo'], StepFolder(Path({str(place.folder)!r})), None,"
        " Bounds(60.0, 4 * 10**9, 10**6), lambda told: None)\n"
    )
    # A file that never has a line.
    os.mkfifo(place.work / "fifo")
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    try:
        assert waits_for(lambda: running_in(place.work))
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert waits_for(lambda: not running_in(place.work))


def running_in(folder: Path) -> list[str]:
    """Processes whose folder this is."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if path.readlink() == folder:
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def waits_for(happened: Any, seconds: float = 30.0) -> bool:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(happened())


@ON_SQLITE
def test_a_killed_training_goes_on_from_its_checkpoint(
    store: JobStore, queue: JobQueue, tools: Tools, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A grammar of a job that was killed within a step has the likelihoods of one run, and no iteration is done twice."""
    monkeypatch.setattr("app.smt.recipes.resuming.LOOK_SECONDS", 0.0)
    monkeypatch.setattr(process, "MEASURE_SECONDS", 0.0)
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{word}" for word in rng.integers(0, 9, 12)) + "\n" for _ in range(6000)]
    # Halves change places, and words of the second half are in reverse.
    links = " ".join(f"{i}-{i + 6 if i < 6 else 11 - i}" for i in range(12)) + "\n"
    texts = {"a": "".join(lines), "b": "".join(lines), "l": links * len(lines)}
    train = {"source": "a", "target": "b", "links": "l", "out": "grammar", "iterations": 8, "threads": 1}
    store.create(plan([{"smt preorder train": train}], texts, bytes=10**8, seconds=600.0), JobOrigin("Ana"))
    job = queue.take("dead")
    assert job is not None
    chunk = queue.next_chunk(job.id)
    assert chunk is not None

    def run_and_kill(step: str, arguments: list[str], place: StepFolder, prints: Any, bounds: Bounds, watch: Any) -> list[str]:
        def end_after_three(message: str) -> None:
            watch(message)
            if message.startswith("iteration 3"):
                raise KeyboardInterrupt

        return run_command(step, arguments, place, prints, bounds, end_after_three)

    monkeypatch.setattr(recipe_steps, "run_command", run_and_kill)
    context = JobContext(tools, queue, "dead", job, "chunk-0", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        recipe_steps.work_step(context, chunk[1])
    context.write()
    kept = store.published(job.id, "so-far")["files"]["grammar/grammar.partial/iterations-1.safetensors"]
    earlier = load(b"".join(store.pieces(job.id, kept["role"])))["logs"].tolist()
    assert 1 <= len(earlier) <= 3
    queue.release_workers(["dead"])
    monkeypatch.setattr(recipe_steps, "run_command", run_command)
    assert taken_up(store, queue, tools).state == "succeeded"
    (row,) = next(iter(store.outputs(job.id)))["rows"]
    told = [line.split() for line in row["told"] if line.startswith("iteration")]
    assert [int(words[1].rstrip(":")) for words in told] == list(range(len(earlier) + 1, 9))
    card = json.loads(content(store, job.id, "grammar/grammar/card.json"))
    logs = card["log_likelihoods"]
    assert logs[: len(earlier)] == earlier and [f"{log:.4f}" for log in logs[len(earlier) :]] == [words[3] for words in told]
    assert len(logs) == 8 and all(later >= before for before, later in pairwise(logs))
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    _, expected = train_on_files(*(tmp_path / name for name in "abl"), TrainingOptions(iterations=8), "unknown")
    assert logs == expected.log_likelihoods
