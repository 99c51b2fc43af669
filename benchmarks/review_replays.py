"""Reviews of real translation commits: ``python -m benchmarks.review_replays CLONES [--project NAME] [--findings FILE]``.

CLONES holds a clone of each project of `review_replays.tsv` as OWNER/NAME; it may be bare. Each commit is checked out elsewhere,
string files alone, and its strings are judged as by `assay review --since PARENT --no-predict`. People merged these texts: an error is a false alarm unless
`review_replays_defects.tsv` names it. A reader judged those by hand.

A place is true if the file spells the translation between the line and column of the annotation for GitHub and its end. Files with
both texts name the line of the unit alone. A lost translation has no place. `--findings` writes all findings as JSON lines, to judge them.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from app.documents.strings import STRING_FORMATS
from app.engine import Engine
from app.operations.review import review_files
from app.operations.review.reading.strings import DOCUMENTS
from app.operations.review.request import ReviewAnswer, ReviewRequest
from app.settings import Settings
from app.shell.review.collecting import Selection, collected_files
from app.shell.review.for_programs import github_review

TABLE: Final = Path(__file__).with_suffix(".tsv")
DEFECTS: Final = Path(__file__).with_name("review_replays_defects.tsv")
ANNOTATION: Final = re.compile(r"::\w+ file=(?P<file>[^,]*),line=(?P<line>\d+),col=(?P<column>\d+)")
LETTER_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
SIGN_ESCAPE: Final = re.compile(r"\\[ntr]")
COLUMNS: Final = (
    "project",
    "format",
    "commits",
    "strings",
    "errors",
    "false",
    "warnings",
    "infos",
    "crashes",
    "places",
    "wrong places",
)


class Replay(NamedTuple):
    """A commit of a project: address, commit, licence, format, languages."""

    address: str
    commit: str
    licence: str
    format: str
    languages: str

    @property
    def project(self) -> str:
        return "/".join(self.address.split("/")[-2:])


def read_rows(path: Path) -> list[list[str]]:
    """Cells of a table without its heading."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def check_out(clone: Path, commit: str, folder: Path) -> None:
    """Check out the string files of a commit into a folder, which may hold another one."""
    patterns = [f"*{suffix}" for form in STRING_FORMATS for suffix in form.suffixes] + [f"*{suffix}" for suffix in DOCUMENTS]
    git = ("git", "-C", str(folder))
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(folder)], check=True)
        subprocess.run([*git, "sparse-checkout", "set", "--no-cone", *patterns], check=True)
    subprocess.run([*git, "checkout", "--quiet", "--detach", commit], check=True)


def review(engine: Engine, folder: Path, commit: str) -> ReviewAnswer | None:
    """The answer about the strings of a commit; None after a crash."""
    try:
        files = collected_files(Selection(folder, since=f"{commit}^"), "en", []).files
        return review_files(engine, ReviewRequest.model_validate({"files": files, "compare": True, "predict": False}))
    except Exception:
        traceback.print_exc()
        return None


def false_places(folder: Path, answer: Mapping[str, Any]) -> Iterator[str]:
    """Annotations whose line and column do not spell the translation in the file."""
    findings = placed_findings(answer)
    for line, row in zip(github_review({"findings": findings}).split("\n"), findings, strict=False):
        match = ANNOTATION.match(line)
        text = (folder / row["path"]).read_text("utf-8", "surrogateescape")
        if match is None or not is_true(text, int(match["line"]), int(match["column"]), row):
            yield line


def placed_findings(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in answer["findings"] if row["translation"] and row["code"] != "missing"]


def is_true(text: str, line: int, column: int, row: Mapping[str, Any]) -> bool:
    """Return True if a file spells the translation from a line and a column on, up to the end of the finding."""
    lines = text.split("\n")
    if row["path"].lower().endswith(DOCUMENTS):
        return 1 <= line <= len(lines)
    part = lines[line - 1 : row["end_line"]]
    part[-1] = part[-1][: row["end_column"] - 1]
    part[0] = part[0][column - 1 :]
    return letters(spelled("\n".join(part))) == letters(spelled(row["translation"]))


def spelled(text: str) -> str:
    """A stretch of a file without the escapes of its format."""
    plain = LETTER_ESCAPE.sub(lambda match: chr(int(match[1], 16)), unescape(unescape(text)))
    return SIGN_ESCAPE.sub(" ", plain)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, SIGN_ESCAPE.sub(" ", text)))


def replay(
    engine: Engine, folder: Path, row: Replay, defects: frozenset[tuple[str, ...]], findings_file: Path | None
) -> Counter[str]:
    """Numbers of a commit by column."""
    answer = review(engine, folder, row.commit)
    if answer is None:
        return Counter(commits=1, crashes=1)
    places = list(false_places(folder, answer))
    for place in places:
        print(f"{row.project} {row.commit[:10]}: {place}", file=sys.stderr)
    if findings_file is not None:
        with findings_file.open("a", encoding="utf-8") as file:
            for finding in answer["findings"]:
                file.write(json.dumps({"commit": row.commit, **finding}, ensure_ascii=False) + "\n")
    counts = answer["counts"]
    errors = (finding for finding in answer["findings"] if finding["severity"] == "error")
    return Counter(
        commits=1,
        strings=answer["strings"],
        errors=counts["error"],
        false=sum(_name(row.commit, finding) not in defects for finding in errors),
        warnings=counts["warning"],
        infos=counts["info"],
        places=len(placed_findings(answer)),
        **{"wrong places": len(places)},
    )


def _name(commit: str, finding: Mapping[str, Any]) -> tuple[str, ...]:
    return commit, finding["path"], str(finding["line"]), finding["code"]


def print_table(totals: Mapping[tuple[str, str], Counter[str]]) -> None:
    """Print a row per project, and their sum."""
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
    total = sum(totals.values(), Counter[str]())
    for names, counts in [*totals.items(), (("all", ""), total)]:
        print("| " + " | ".join([*names, *(f"{counts[column]:,}" for column in COLUMNS[2:])]) + " |")
    print(f"\nFalse alarms of `error`: {total['false'] / max(total['strings'], 1):.2%} of strings.")


def selected_replays(rows: Iterable[Sequence[str]], projects: Sequence[str]) -> list[Replay]:
    replays = [Replay(*row) for row in rows]
    return [row for row in replays if not projects or row.project in projects]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.review_replays", description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--project", action="append", default=[], help="replay this project alone, as OWNER/NAME")
    parser.add_argument("--findings", type=Path, help="file for all findings")
    arguments = parser.parse_args()
    defects = frozenset(map(tuple, read_rows(DEFECTS)))
    totals: dict[tuple[str, str], Counter[str]] = {}
    rows = selected_replays(read_rows(TABLE), arguments.project)
    engine = Engine.of_settings(Settings())
    for project, commits in groupby(rows, key=lambda row: row.project):
        with tempfile.TemporaryDirectory() as name:
            for row in commits:
                folder = Path(name) / "checkout"
                check_out(arguments.clones.resolve() / project, row.commit, folder)
                counts = replay(engine, folder, row, defects, arguments.findings)
                totals.setdefault((project, row.format), Counter()).update(counts)
    print_table(totals)


if __name__ == "__main__":
    main()
