"""``assay smt train`` beside sil-thot on the same text: what a system costs, and what it reaches.

    python3 -m venv VENV && VENV/bin/pip install sil-thot "sil-machine[thot]"
    python -m benchmarks.smt.systems.peer DATA VENV/bin/python --work FOLDER

DATA has ``multi30k-de-en``, lower-cased and tokenised. sil-thot is LGPL and no part of Assay: a Python that has it and sil-machine runs
``benchmarks/smt/systems/thot.py``, and only files go to and fro. Each step is a process of its own, whose processor time, with that of what it
starts, and largest memory the system tells. What either takes to translate is counted when all is loaded, one sentence after the other.

Assay tunes on all of val, sil-thot on the first 1,000 pairs of it: its trainer draws that many from its text, which is put in such
an order that these are drawn, and learns them when it has tuned. BLEU is of tokens as they are. Steps leave their results in FOLDER, and
what is there is not done again.
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
# What sil-thot's tuner begins with.
UNTUNED = [1.0] * 7 + [0.0]
TUNING = "Tuning translation model"
SPLITS = ("train", "val", "test_2016_flickr")
# Compiled programs are kept from one process to the next; a system of so many pairs has them compiled before anything is counted.
FIRST = 300


def run(command: list[str], out: Path) -> Result:
    """A process: its processor seconds, its largest memory in MB, and the line of JSON that it printed, if any."""
    with out.open("w") as printed, subprocess.Popen(command, stdout=printed) as process:
        # The child's own figures: those of all children would be the largest of any.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    said = out.read_text().strip().split("\n")[-1]
    return {"all": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024} | (json.loads(said) if said[:1] == "{" else {})


def kept(path: Path, make: Callable[[], Result]) -> Result:
    """A result that is made once."""
    if not path.exists():
        path.write_text(json.dumps(make()))
    return json.loads(path.read_text())


class Files:
    """The text, unpacked and cut, since sil-machine reads no gzip."""

    def __init__(self, data: Path, work: Path) -> None:
        self.work = work
        for split in SPLITS:
            for side in ("de", "en"):
                self.path(split, side).write_bytes(gzip.decompress((data / "multi30k-de-en" / f"{split}.{side}.gz").read_bytes()))

    def path(self, split: str, side: str) -> Path:
        return self.work / f"{split}.{side}"

    def first(self, split: str, count: int) -> list[str]:
        """Both sides of the first sentences."""
        found = []
        for side in ("de", "en"):
            part = self.work / f"{split}-{count}.{side}"
            part.write_text("".join(self.path(split, side).read_text("utf-8").splitlines(keepends=True)[:count]), "utf-8")
            found.append(str(part))
        return found

    def both(self, split: str) -> list[str]:
        return [str(self.path(split, side)) for side in ("de", "en")]


def assay(files: Files) -> Result:
    """Assay's steps: all but tuning, then tuning behind them, then the test text by both weights."""
    work, system = files.work, files.work / "assay"
    train = [sys.executable, "-m", "app", "smt", "train"]

    def compiled() -> Result:
        dev = [*files.first("val", 30), "--rounds", "1"]
        return run([*train, *files.first("train", FIRST), "--dev", *dev, "--out", str(work / "first")], work / "first.out")

    kept(work / "first.json", compiled)
    whole = [*train, *files.both("train"), "--out", str(system)]
    trained = kept(work / "assay-train.json", lambda: run([*whole, "--untuned"], work / "train.out"))
    tuned = kept(work / "assay-tune.json", lambda: run([*whole, "--dev", *files.both("val")], work / "tune.out"))
    test = Text.of(*(files.path(SPLITS[2], side) for side in ("de", "en")))
    found = {name: translated(system / f"{name}.ini", test) for name in ("untuned", "moses")}
    return {
        "name": f"Assay {version('assay')}",
        "training": trained["all"],
        "memory": max(trained["memory"], tuned["memory"]),
        "rows": {"untuned": (0.0, *found["untuned"]), "tuned": (tuned["all"], *found["moses"])},
    }


def translated(config: Path, test: Text) -> tuple[float, float]:
    """BLEU of the test set, and sentences a second of processor time."""
    system = load_system(config, TextPhrases(line.split() for line in test.sources))
    decoder = Decoder(system)
    decoder.translate(test.sources[0])
    begin = time.process_time()
    texts = [decoder.translate(source).n_best(1)[0].text for source in test.sources]
    seconds = time.process_time() - begin
    return score(metric_named("bleu|tok:none"), texts, test), len(texts) / seconds


def thot(files: Files, python: str) -> Result:
    """sil-thot's steps, each run by the Python that has it."""
    work, model = files.work, str(files.work / "thot")

    def step(name: str, *command: str) -> Result:
        # Isolated, since modules beside the script have names that its libraries may import.
        return kept(work / f"thot-{name}.json", lambda: run([python, "-I", str(SCRIPT), *command], work / f"thot-{name}.out"))

    trained = step("train", "train", model, *files.both("train"), *files.both("val"))
    test = Text.of(*(files.path(SPLITS[2], side) for side in ("de", "en")))

    def translation(name: str, weights: list[float]) -> tuple[float, float]:
        out = work / f"thot-{name}.en"
        command = ["translate", model, str(files.path(SPLITS[2], "de")), str(out), "--weights", json.dumps(weights)]
        seconds = step(f"translate-{name}", *command)["seconds"]
        texts = out.read_text("utf-8").splitlines()
        return score(metric_named("bleu|tok:none"), texts, test), len(texts) / seconds

    tuning = trained["steps"][TUNING]
    return {
        "name": "sil-thot {} with sil-machine {}".format(*trained["versions"]),
        "training": trained["all"] - tuning,
        "memory": trained["memory"],
        "rows": {"untuned": (0.0, *translation("untuned", UNTUNED)), "tuned": (tuning, *translation("tuned", trained["weights"]))},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("python", help="of an environment with sil-thot and sil-machine")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    files = Files(given.data, given.work)
    print("| | training | memory | tuning | BLEU | sentences/s |\n| --- | --- | --- | --- | --- | --- |")
    # The peer first: a child's largest memory counts what this process had when it was started.
    for done in (thot(files, given.python), assay(files)):
        for name, (tuning, bleu, rate) in done["rows"].items():
            cells = f"{done['training']:.0f} s | {done['memory']:.0f} MB | {tuning:.0f} s | {bleu:.2f} | {rate:.0f}"
            print(f"| {done['name']}, {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
