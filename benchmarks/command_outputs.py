"""Comparison of every documented command in two trees: exit codes, output and files, line by line.

    python -m benchmarks.command_outputs --base TREE

The lines are those of `scripts/reference/examples.sh`, with the files of `tests/shell/test_documented.py`. Renamed commands get their
old names from CHANGELOG.md. Masks hide identifiers, times and folders. The report lists each difference and counts equal lines.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.building.building import build_language_resources, build_pair_resources
from app.settings import ROOT
from app.text import LanguagePair
from scripts.reference.commands import examples
from tests.servers import Server, small_house
from tests.shell.test_documented import CONLLU, in_place, texts

NAME_ROW: Final = re.compile(r"^\| `assay ([^`]+)` \| `assay ([^`]+)` \|$", re.MULTILINE)
MASKS: Final = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r" *\b\d+(?:\.\d+)? (?:ms|s|seconds|MB|GB)\b"), " AMOUNT"),
    (re.compile(r"\bassay_[0-9a-f]{8}_[0-9a-f]+"), "KEY"),
    (re.compile(r"  [0-9a-f]{8}  "), "  KEY  "),
    (re.compile(r'"rate": [0-9.]+'), "RATE"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
)


# Characters of a file that differences show; longer files are compared by digests.
SHOWN_LENGTH: Final = 20_000


@dataclass(frozen=True)
class Outcome:
    """Exit code, standard output, standard error and contents of new or changed files by name."""

    code: int
    out: str
    err: str
    files: dict[str, str]


@dataclass
class Typist:
    """A folder with the files of the examples, and a tree whose commands run there."""

    tree: Path
    folder: Path
    old_names: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> str:
        """The tree's folders of packages, for PYTHONPATH."""
        return os.pathsep.join([str(self.tree), str(self.tree / "client")])

    def environment(self, address: str) -> dict[str, str]:
        houses = {f"ASSAY_{name.upper()}_DIR": str(self.folder / "house" / name) for name in ("data", "resources", "models")}
        encoder = {"ASSAY_ENCODER": "none"}
        return {**os.environ, **houses, **encoder, "PYTHONPATH": self.paths, "ASSAY_SERVER": address, "COLUMNS": "100"}

    def name_of(self, arguments: list[str]) -> list[str]:
        """The arguments with the command's name in this tree."""
        prefixes = ((k, " ".join(arguments[:k])) for k in (3, 2, 1))
        return next(([*self.old_names[name].split(), *arguments[k:]] for k, name in prefixes if name in self.old_names), arguments)

    def run(self, line: str, address: str) -> Outcome:
        arguments = self.name_of(in_place(line, self.ids, address))
        before = self.contents()
        process = subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            cwd=self.folder,
            env=self.environment(address),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        after = self.contents()
        if line.startswith("assay jobs submit"):
            self.ids["jobs"] = process.stdout.strip()
        if line.startswith("assay feedback") and "--model" in line:
            self.ids["feedback"] = self.feedback_id(address)
        new_digests = {name: content for name, content in after.items() if before.get(name) != content}
        return Outcome(process.returncode, self.masked(process.stdout), self.masked(process.stderr), new_digests)

    def feedback_id(self, address: str) -> str:
        command = [sys.executable, "-m", "app", "feedback", "list", "--format", "json"]
        listing = subprocess.run(
            command, cwd=self.folder, env=self.environment(address), capture_output=True, text=True, check=True
        )
        return str(json.loads(listing.stdout)["feedback"][0]["id"])

    def masked(self, text: str) -> str:
        for place, name in ((self.folder, "FOLDER"), (self.tree, "TREE")):
            text = text.replace(str(place), name)
        for pattern, name in MASKS:
            text = pattern.sub(name, text)
        return text

    def contents(self) -> dict[str, str]:
        """Content of the folder's files by name: masked text if it is short, or else a digest; unpacked if it is gzip."""
        paths = [path for path in self.folder.rglob("*") if path.is_file() and "house/data" not in str(path)]
        return {str(path.relative_to(self.folder)): self.content(path) for path in paths}

    def content(self, path: Path) -> str:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        with suppress(UnicodeDecodeError):
            text = self.masked(content.decode())
            if len(text) < SHOWN_LENGTH:
                return text
            content = text.encode()
        return hashlib.sha256(content).hexdigest()[:12]


def prepare(folder: Path) -> None:
    """Write the files of the examples, and a small house."""
    for name, content in texts().items():
        (folder / name).write_text(content, "utf-8")
    (folder / "treebank").mkdir()
    for name in ("train", "test"):
        (folder / "treebank" / f"{name}.conllu.gz").write_bytes(gzip.compress((CONLLU + "\n").encode() * 20, mtime=0))
    os.chdir(folder)
    resources = folder / "house" / "resources"
    for language, text in (("ro", "source.txt"), ("en", "ref.txt")):
        build_language_resources(language, [text], resources / language, 3, "CC0")
    build_pair_resources(LanguagePair("ro", "en"), "source.txt", "ref.txt", resources / "ro-en", "CC0")


def outcomes(typist: Typist, house: Path) -> dict[str, Outcome]:
    """Run every line in turn, with a server of the tree."""
    house.mkdir()
    (house / "data").mkdir()
    server = Server(house / "data", {**small_house(house, "ro-en"), "PYTHONPATH": typist.paths}, root=typist.tree)
    server.start()
    results = {}
    try:
        for line in examples():
            if line == "assay serve":
                continue
            if line.startswith("assay server restore"):
                (typist.folder / "house" / "data").rename(typist.folder / "house" / "before")
            results[line] = typist.run(line, server.address)
            print(f"{typist.tree.name} {line}", file=sys.stderr, flush=True)
    finally:
        server.stop()
    return results


def report(old: dict[str, Outcome], new: dict[str, Outcome]) -> int:
    """Print every difference; return the number of lines that differ."""
    different = 0
    for line, outcome in new.items():
        before = old[line]
        if before == outcome:
            continue
        different += 1
        print(f"\n## {line}\n")
        if before.code != outcome.code:
            print(f"exit code {before.code} -> {outcome.code}")
        texts_of = {"out": (before.out, outcome.out), "err": (before.err, outcome.err)}
        names = sorted(before.files.keys() | outcome.files.keys())
        texts_of |= {name: (before.files.get(name, "no file"), outcome.files.get(name, "no file")) for name in names}
        for name, (base, text) in texts_of.items():
            lines = difflib.unified_diff(base.splitlines(), text.splitlines(), lineterm="", n=0)
            print("".join(f"{name} {change}\n" for change in list(lines)[2:] if not change.startswith("@@")), end="")
    print(f"\n{len(new)} lines: {len(new) - different} equal, {different} differ")
    return different


def old_names() -> dict[str, str]:
    """Old names of commands by their new names, from the table of CHANGELOG.md."""
    rows = NAME_ROW.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))
    return {new.removesuffix(" FILE").removesuffix(" ID"): old.removesuffix(" FILE").removesuffix(" ID") for old, new in rows}


def main() -> None:
    """Run the lines in both trees at once and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True, help="tree to compare with")
    parser.add_argument("--equal-names", action="store_true", help="the base has the new names of commands too")
    arguments = parser.parse_args()
    os.environ.update(OPENBLAS_NUM_THREADS="1")
    names = {} if arguments.equal_names else old_names()
    work = Path(tempfile.mkdtemp(prefix="commands-"))
    (work / "new").mkdir()
    prepare(work / "new")
    shutil.copytree(work / "new", work / "old")
    recipe = work / "old" / "recipe.yaml"
    recipe.write_text(
        recipe.read_text("utf-8").replace("resources align", names.get("resources align", "resources align")), "utf-8"
    )
    typists = [Typist(arguments.base.resolve(), work / "old", names), Typist(ROOT, work / "new", {})]
    with ThreadPoolExecutor(2) as pool:
        old, new = pool.map(outcomes, typists, [work / "old-house", work / "new-house"])
    sys.exit(report(old, new) > 0)


if __name__ == "__main__":
    main()
