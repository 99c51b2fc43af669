"""``assay smt train`` beside sil-thot on equal text: cost and BLEU of a system.

    python3 -m venv VENV && VENV/bin/pip install sil-thot "sil-machine[thot]"
    python -m benchmarks.smt.systems.peer DATA VENV/bin/python --work FOLDER

DATA has ``multi30k-de-en``, lower-cased and tokenised. sil-thot is LGPL and no part of Assay: a Python with sil-thot and sil-machine
runs ``benchmarks/smt/systems/thot.py``, and only files go to and fro. Each step is a process. The system has its processor time, with
children, and its largest memory. The time of translation begins after loading; sentences follow each other.

Assay tunes on all of val, sil-thot on its first 1,000 pairs. Its trainer draws as many from its text, which is in an order for
just this draw, and learns them after tuning. BLEU is of tokens as they are. Steps leave their results in FOLDER;
finished steps do not run again.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.metrics import metric_named
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_system
from app.smt.decoder.text_phrases import TextPhrases
from benchmarks.smt.systems.tuning import Text, score

Result = dict[str, Any]
SCRIPT = Path(__file__).parent / "thot.py"
# The first weights of sil-thot's tuner.
START_WEIGHTS = [1.0] * 7 + [0.0]
TUNING = "Tuning translation model"
SPLITS = ("train", "val", "test_2016_flickr")
# Compiled programs are shared by processes; a system of this many pairs compiles them before the measurements.
SMALL_SIZE = 300


def run(command: list[str], out: Path) -> Result:
    """Run a process. Return its processor seconds, its largest memory in MB, and the line of JSON that it printed, if any."""
    with out.open("w") as file, subprocess.Popen(command, stdout=file) as process:
        # Figures of the child alone: those of all children would be the largest of any.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    last_line = out.read_text().strip().split("\n")[-1]
    return {"all": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024} | (
        json.loads(last_line) if last_line[:1] == "{" else {}
    )


def cached(path: Path, make: Callable[[], Result]) -> Result:
    """Result of a step, from its file after the first run."""
    if not path.exists():
        path.write_text(json.dumps(make()))
    return json.loads(path.read_text())


class Files:
    """Unpacked and cut text, since sil-machine reads no gzip."""

    def __init__(self, data: Path, work: Path) -> None:
        self.work = work
        for split in SPLITS:
            for side in ("de", "en"):
                self.path(split, side).write_bytes(gzip.decompress((data / "multi30k-de-en" / f"{split}.{side}.gz").read_bytes()))

    def path(self, split: str, side: str) -> Path:
        return self.work / f"{split}.{side}"

    def first(self, split: str, count: int) -> list[str]:
        """Files of both sides of the first `count` sentences."""
        paths = []
        for side in ("de", "en"):
            part = self.work / f"{split}-{count}.{side}"
            part.write_text("".join(self.path(split, side).read_text("utf-8").splitlines(keepends=True)[:count]), "utf-8")
            paths.append(str(part))
        return paths

    def sides(self, split: str) -> list[str]:
        return [str(self.path(split, side)) for side in ("de", "en")]


def assay(files: Files) -> Result:
    """Assay's steps: everything before tuning, then tuning, then the test text by both weights."""
    work, system = files.work, files.work / "assay"
    train = [sys.executable, "-m", "app", "smt", "train"]

    def compile_kernels() -> Result:
        dev = [*files.first("val", 30), "--rounds", "1"]
        return run([*train, *files.first("train", SMALL_SIZE), "--dev", *dev, "--out", str(work / "first")], work / "first.out")

    cached(work / "first.json", compile_kernels)
    command = [*train, *files.sides("train"), "--out", str(system)]
    training = cached(work / "assay-train.json", lambda: run([*command, "--untuned"], work / "train.out"))
    tuning = cached(work / "assay-tune.json", lambda: run([*command, "--dev", *files.sides("val")], work / "tune.out"))
    test = Text.of(*(files.path(SPLITS[2], side) for side in ("de", "en")))
    results = {name: translated(system / f"{name}.ini", test) for name in ("untuned", "moses")}
    return {
        "name": f"Assay {version('assay')}",
        "training": training["all"],
        "memory": max(training["memory"], tuning["memory"]),
        "rows": {"untuned": (0.0, *results["untuned"]), "tuned": (tuning["all"], *results["moses"])},
    }


def translated(config: Path, test: Text) -> tuple[float, float]:
    """BLEU of the test set, and sentences per second of processor time."""
    system = load_system(config, TextPhrases(line.split() for line in test.sources))
    decoder = Decoder(system)
    decoder.translate(test.sources[0])
    begin = time.process_time()
    texts = [decoder.translate(source).n_best(1)[0].text for source in test.sources]
    seconds = time.process_time() - begin
    return score(metric_named("bleu|tok:none"), texts, test), len(texts) / seconds


def thot(files: Files, python: str) -> Result:
    """sil-thot's steps, run by its own Python."""
    work, model = files.work, str(files.work / "thot")

    def step(name: str, *command: str) -> Result:
        # Isolated, since modules beside the script share names with imports of its libraries.
        return cached(work / f"thot-{name}.json", lambda: run([python, "-I", str(SCRIPT), *command], work / f"thot-{name}.out"))

    training = step("train", "train", model, *files.sides("train"), *files.sides("val"))
    test = Text.of(*(files.path(SPLITS[2], side) for side in ("de", "en")))

    def translation(name: str, weights: list[float]) -> tuple[float, float]:
        out = work / f"thot-{name}.en"
        command = ["translate", model, str(files.path(SPLITS[2], "de")), str(out), "--weights", json.dumps(weights)]
        seconds = step(f"translate-{name}", *command)["seconds"]
        texts = out.read_text("utf-8").splitlines()
        return score(metric_named("bleu|tok:none"), texts, test), len(texts) / seconds

    tuning = training["steps"][TUNING]
    return {
        "name": "sil-thot {} with sil-machine {}".format(*training["versions"]),
        "training": training["all"] - tuning,
        "memory": training["memory"],
        "rows": {
            "untuned": (0.0, *translation("untuned", START_WEIGHTS)),
            "tuned": (tuning, *translation("tuned", training["weights"])),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("python", help="Python with sil-thot and sil-machine")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    files = Files(options.data, options.work)
    print("| | training | memory | tuning | BLEU | sentences/s |\n| --- | --- | --- | --- | --- | --- |")
    # The peer comes first: a child's largest memory includes that of this process at its start.
    for result in (thot(files, options.python), assay(files)):
        for name, (tuning, bleu, rate) in result["rows"].items():
            cells = f"{result['training']:.0f} s | {result['memory']:.0f} MB | {tuning:.0f} s | {bleu:.2f} | {rate:.0f}"
            print(f"| {result['name']}, {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
