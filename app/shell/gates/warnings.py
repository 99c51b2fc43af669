"""Gates on warnings, `--fail-on`: codes that fail a CI job, and their segments."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.shell.gates.report import Case

__all__ = ["cases_of_outputs", "cases_of_rows", "read_codes", "read_codes_of_outputs", "read_codes_of_rows"]

OPTION: Final = "--fail-on"
# Warnings of this severity, of any code.
ERROR: Final = "error"
# No warnings at all, in place of the errors that fail beside another gate.
NO_CODES: Final = "none"
# Most segments that a sentence lists.
SEGMENT_LIMIT: Final = 20
# Codes of warnings that need no source.
OF_OUTPUTS: Final = ("empty-translation", "repeated-loop", "system-residue")


def read_codes(text: str, allowed_codes: Sequence[str] | None = None) -> list[str]:
    """Parse codes and groups of warnings with commas between. InputError lists `allowed_codes`, by default all."""
    from app.checks import GROUPS, WARNINGS

    known_codes = (*WARNINGS, ERROR) if allowed_codes is None else allowed_codes
    codes: list[str] = []
    for name in text.split(","):
        of_name = [code for code in GROUPS.get(name, (name,)) if code in known_codes]
        if not of_name:
            detail = f"warnings are {', '.join(known_codes)}; groups of them {', '.join(GROUPS)}"
            raise InputError("invalid-request", detail, (OPTION,))
        codes += of_name
    return list(dict.fromkeys(codes))


def read_codes_of_rows(text: str | None, has_gate: bool) -> list[str]:
    """Codes that fail segments with sources; errors without a choice if another gate exists. `none` chooses none."""
    if text is None:
        return [ERROR] if has_gate else []
    return [] if text == NO_CODES else read_codes(text)


def read_codes_of_outputs(text: str) -> list[str]:
    """Parse codes of warnings for outputs with references and without sources."""
    return read_codes(text, OF_OUTPUTS)


def cases_of_rows(rows: Sequence[Mapping[str, Any]], codes: Iterable[str], subject: str) -> list[Case]:
    """A case for each code; its failure names the segments with the code, counted from 1 as in printed rows."""
    names = {
        number: {name for warning in row.get("warnings", ()) for name in (warning["code"], warning["severity"])}
        for number, row in enumerate(rows, 1)
    }
    return [Case(subject, code, _sentences(names, code, "")) for code in codes]


def cases_of_outputs(
    systems: Mapping[str, Sequence[str]], references: Mapping[str, Sequence[str]], codes: Sequence[str]
) -> list[Case]:
    """A case for each system; its failures name codes that occur. Repetitions and signs of the first reference count as correct."""
    from app.checks import left_by_programs
    from app.checks.guard import is_blank

    right = next(iter(references.values()))
    cases: list[Case] = []
    for system, lines in systems.items():
        counts = {
            number: {"empty-translation"} if is_blank(line) else {warning.code for warning in left_by_programs(reference, line)}
            for number, (line, reference) in enumerate(zip(lines, right, strict=True), 1)
            if not (is_blank(line) and is_blank(reference))
        }
        failures = [sentence for code in codes for sentence in _sentences(counts, code, f"{system} has ")]
        cases.append(Case(system, "warnings", failures))
    return cases


def _sentences(warnings: Mapping[int, set[str]], code: str, beginning: str) -> list[str]:
    """A sentence with the segments that have the code, or none."""
    numbers = [number for number, of_segment in warnings.items() if code in of_segment]
    return [f"{beginning}{code} in {_numbered(numbers)}"] if numbers else []


def _numbered(numbers: Sequence[int]) -> str:
    number_list = ", ".join(map(str, numbers[:SEGMENT_LIMIT]))
    suffix = f" and {len(numbers) - SEGMENT_LIMIT} more" if len(numbers) > SEGMENT_LIMIT else ""
    return f"segment{'s' if len(numbers) > 1 else ''} {number_list}{suffix}"
