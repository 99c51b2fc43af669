"""JUnit's reports of gates, as CI servers show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

__all__ = ["Case", "junit_report"]


@dataclass(frozen=True)
class Case:
    """A test case: `subject` is a system or file, `name` a metric or a warning, `output` the measured values."""

    subject: str
    name: str
    failures: Sequence[str] = ()
    output: str = ""


def junit_report(command: str, cases: Sequence[Case]) -> str:
    """JUnit's XML of the cases of a command. A case has at most one failure, with all its sentences."""
    suite = Element(
        "testsuite",
        name=f"assay {command}",
        tests=str(len(cases)),
        failures=str(sum(bool(case.failures) for case in cases)),
        errors="0",
    )
    for case in cases:
        element = SubElement(suite, "testcase", classname=case.subject, name=case.name)
        if case.failures:
            SubElement(element, "failure", message="; ".join(case.failures))
        if case.output:
            SubElement(element, "system-out").text = case.output
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode")
