"""`assay review`: findings about translated files of a folder or a git checkout."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from app.errors import InputError
from app.shell.declaration.fields import argument, option
from app.shell.declaration.parameters import Profile, Quiet, Server, number

__all__ = ["ReviewOptions"]

ReviewFormat = Literal["text", "markdown", "json", "sarif", "github", "gitlab", "junit"]
# Forms of reports by the suffixes of their files.
REPORTS: Final = {".md": "markdown", ".json": "json", ".sarif": "sarif", ".xml": "junit", ".txt": "text"}
# Exit codes: a finding of --fail-on or worse, and a run that judged nothing.
FAILURE: Final = 1
EMPTY_RUN: Final = 3


@dataclass(frozen=True, kw_only=True)
class ReviewOptions:
    """Options of `assay review`."""

    paths: Annotated[list[str] | None, argument(help="Files or folders; default: the checkout or this folder.")] = None
    since: Annotated[str | None, option(help="Judge strings that changed since the branch left this commit.")] = None
    source_language: Annotated[str | None, option(help="Language of the sources; default: en.")] = None
    language: Annotated[list[str] | None, option(help="Review this language alone. Repeatable.")] = None
    format: Annotated[ReviewFormat, option(help="Form of the findings.")] = "text"
    fail_on: Annotated[Literal["error", "warning", "info"] | None, option(help="Exit 1 from this severity on; default: error.")] = (
        None
    )
    fail_if_worse: Annotated[
        bool, option("--fail-if-worse", help="Exit 1 when the strings that --since changed are significantly worse than before.")
    ] = False
    min_quality: Annotated[
        float | None, number("--min-quality", about="Report strings of lower predicted quality (0 to 1).", low=0.0, high=1.0)
    ] = None
    glossary: Annotated[Path | None, option(help="Check terms of this glossary: .csv, .tsv, .tbx or .xlsx.")] = None
    predict: Annotated[bool, option("--predict/--no-predict", help="Predict quality; --no-predict checks alone.")] = True
    profile: Profile = None
    config: Annotated[Path | None, option(help="Configuration; default: assay.toml or pyproject.toml.")] = None
    baseline: Annotated[Path | None, option(help="File of known findings, which do not fail.")] = None
    update_baseline: Annotated[bool, option("--update-baseline", help="Write all findings into the baseline.")] = False
    report: Annotated[
        list[Path] | None, option(help="File for the findings too: .md, .json, .sarif, .xml (JUnit) or .txt. Repeatable.")
    ] = None
    allow_empty: Annotated[bool, option("--allow-empty", help="Exit 0, not 3, if no string could be judged.")] = False
    quiet: Quiet = False
    server: Server = None

    def run(self) -> None:
        """Print the findings; exit 0 without, 1 with them, 3 if no string could be judged."""
        from app.operations.review.gate import fails
        from app.shell.output import quietly, say
        from app.shell.review.baseline import write_baseline
        from app.shell.review.configuration import read_configuration
        from app.shell.review.inside import own_file

        unknown = next((file for file in self.report or () if file.suffix not in REPORTS), None)
        if unknown is not None:
            raise InputError("invalid-request", f"{unknown} ends in none of {', '.join(REPORTS)}", ("--report",))
        if self.min_quality is not None and not self.predict:
            raise InputError("invalid-request", "--no-predict predicts no quality; leave one of the two out", ("--min-quality",))
        if self.update_baseline and (self.since is not None or self.language):
            detail = "a baseline holds all known findings; leave --since and --language out"
            raise InputError("invalid-request", detail, ("--update-baseline",))
        # The program opens os.devnull in place of a closed stream.
        if getattr(sys.stdout, "name", None) == os.devnull and not (self.report or self.update_baseline):
            raise InputError("invalid-request", "standard output is closed, so nobody would read the findings; name a --report")
        configuration = read_configuration(self.config)
        baseline = _own_file("--baseline", self.baseline, configuration.baseline)
        reports = [own_file(file, "--report") for file in self.report or ()]
        with quietly(self.quiet):
            answer = self._answer(configuration)
        if self.update_baseline:
            target = baseline or own_file(Path("assay-baseline.json"), "--baseline")
            say(f"wrote {write_baseline(target, answer['findings'])} known findings to {target}")
            return
        fail_on, fail_if_worse = self.fail_on or configuration.fail_on or "error", self._fails_if_worse(configuration)
        answer = _beside_baseline(answer, baseline, fail_on, fail_if_worse)
        forms = _forms(lambda finding: fails(finding, fail_on), fail_if_worse)
        for file in reports:
            file.write_text(forms[REPORTS[file.suffix]](answer) + "\n", "utf-8")
        print(forms[self.format](answer))
        if answer["verdict"] == "nothing":
            say("nothing was judged, which is no pass")
        sys.exit({"clean": 0, "findings": FAILURE, "nothing": 0 if self.allow_empty else EMPTY_RUN}[answer["verdict"]])

    def _fails_if_worse(self, configuration: Any) -> bool:
        """True if changes for the worse fail; the configuration has it for runs with --since and with predictions."""
        if self.fail_if_worse and not (self.since and self.predict):
            raise InputError("invalid-request", "earlier quality needs --since, and predictions", ("--fail-if-worse",))
        return self.fail_if_worse or (configuration.fail_if_worse and self.since is not None and self.predict)

    def _answer(self, configuration: Any) -> dict[str, Any]:
        """The answer here or of a server, with findings about files that are no text."""
        from app.documents.strings.paths import Layout
        from app.operations.review import operation
        from app.operations.review.request import ReviewRequest
        from app.shell.declaration.glossaries import glossary_field
        from app.shell.requests import make_request
        from app.shell.review.collecting import Selection, collected_files
        from app.shell.running import answer_to

        source_language = self.source_language or configuration.source_language or "en"
        layouts = [Layout(layout.source, layout.translation) for layout in configuration.layouts]
        selection = Selection(
            Path(), self.paths or configuration.paths, configuration.exclude, self.language or configuration.languages, self.since
        )
        collection = collected_files(selection, source_language, layouts)
        if not collection.files:
            return _empty_answer(collection.errors)
        quality = configuration.min_quality if self.min_quality is None else {"*": self.min_quality}
        glossary = _own_file("--glossary", self.glossary, configuration.glossary)
        request = make_request(
            ReviewRequest,
            source_language=source_language,
            files=collection.files,
            compare=self.since is not None,
            predict=self.predict,
            min_quality=quality if self.predict else {},
            fail_if_worse=self._fails_if_worse(configuration),
            profile=self.profile or configuration.profile,
            layouts=[layout.model_dump() for layout in configuration.layouts],
            ignore=[rule.model_dump() for rule in configuration.ignore],
            glossary=glossary_field(glossary, source_language),
        )
        answer: dict[str, Any] = answer_to(operation, request, self.server)
        return _with_errors(answer, collection.errors)


def _own_file(option: str, file: Path | None, setting: str | None) -> Path | None:
    """The file of an option, else of the configuration; None without both."""
    from app.shell.review.inside import own_file

    path = file or (Path(setting) if setting else None)
    return None if path is None else own_file(path, option, is_configured=file is None)


def _forms(fails: Callable[[Mapping[str, Any]], bool], fail_if_worse: bool) -> Mapping[str, Callable[[Mapping[str, Any]], str]]:
    from app.operations.review.comment import markdown_review
    from app.shell.output import json_text
    from app.shell.review import for_people, for_programs
    from app.shell.review.platform import line_address

    return {
        "text": for_people.text_review,
        "markdown": lambda answer: markdown_review(answer, line_address),
        "json": json_text,
        "sarif": for_programs.sarif_review,
        "github": for_programs.github_review,
        "gitlab": for_programs.gitlab_review,
        "junit": lambda answer: for_programs.junit_review(answer, fails, fail_if_worse),
    }


def _empty_answer(errors: Any) -> dict[str, Any]:
    counts = {"error": 0, "warning": 0, "info": 0}
    answer = {"strings": 0, "verdict": "nothing", "counts": counts, "ignored_findings": 0, "findings": [], "worst": [], "files": []}
    return _with_errors(answer, errors)


def _with_errors(answer: dict[str, Any], errors: Any) -> dict[str, Any]:
    """The answer with a finding about each file that is no text."""
    from app.operations.review.unreadable import unreadable

    rows = [unreadable(str(error.where[0]), "", error) for error in errors]
    counts = {**answer["counts"], "error": answer["counts"]["error"] + len(rows)}
    return {**answer, "findings": [*rows, *answer["findings"]], "counts": counts}


def _beside_baseline(answer: dict[str, Any], baseline: Path | None, fail_on: Any, fail_if_worse: bool) -> dict[str, Any]:
    """The answer without findings of the baseline, and its verdict; `known` is the number of such findings."""
    from app.checks import SEVERITIES
    from app.operations.review.gate import fails
    from app.shell.review.baseline import read_baseline, unknown_findings

    findings = unknown_findings(answer["findings"], {} if baseline is None else read_baseline(baseline))
    counts = {severity: sum(row["severity"] == severity for row in findings) for severity in SEVERITIES}
    has_failed = any(fails(row, fail_on) for row in findings)
    has_failed |= fail_if_worse and answer.get("change", {}).get("outcome") == "worse"
    # Files and strings that cannot be read are not judged, known or not.
    is_judged = bool(answer["strings"]) or any(row["code"] not in ("unreadable", "unjudged") for row in answer["findings"])
    verdict = "findings" if has_failed else "clean" if is_judged else "nothing"
    return {
        **answer,
        "findings": findings,
        "counts": counts,
        "verdict": verdict,
        "known_findings": len(answer["findings"]) - len(findings),
    }
