"""Tables of a comparison: n-grams, lengths, frequencies, segments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.shell.output import Format, print_lines, print_rows, print_verdicts, say
from app.shell.scoring.tables import WIDTH
from app.text.writing.visible import visible

__all__ = ["Example", "Section", "balance", "examples_of", "print_comparison", "sections_of"]

# Gains and losses that a table shows, of each kind.
EXAMPLE_LIMIT: Final = 5


@dataclass(frozen=True)
class Section:
    """A table with its title."""

    title: str
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Example:
    """A segment with its scores by a metric, source and reference, and the outputs of baseline and system."""

    segment: int
    gain: float
    scores: tuple[float, float]
    roles: Sequence[str]
    texts: Sequence[str]
    outputs: tuple[str, str]


def sections_of(answer: Mapping[str, Any], baseline: str, system: str) -> list[Section]:
    """Tables of n-grams, lengths and frequencies, with a column for each system; without references, failed checks."""
    if "ngrams" not in answer:
        return [Section("Segments with a failed check", answer["warnings"])]
    sections = [
        Section(f"N-grams that {better} gets right more often", [_ngram(row, baseline, system) for row in answer["ngrams"][kind]])
        for kind, better in (("better", system), ("worse", baseline))
    ]
    for metric in dict.fromkeys(row["metric"] for row in answer["lengths"]):
        rows = [row for row in answer["lengths"] if row["metric"] == metric]
        sections.append(
            Section(
                f"{metric} by words of the reference", list(_side_by_side(rows, ("length", "segments", "score"), baseline, system))
            )
        )
    frequencies = list(_side_by_side(answer["frequencies"], ("frequency", "words", "f1"), baseline, system))
    return [*sections, Section("F1 of words by their frequency in the reference", frequencies)]


def _ngram(row: Mapping[str, Any], baseline: str, system: str) -> dict[str, Any]:
    return {
        "n-gram": row["ngram"],
        f"right in {baseline}": row["baseline_matches"],
        f"right in {system}": row["system_matches"],
        f"wrong in {baseline}": row["baseline_surplus"],
        f"wrong in {system}": row["system_surplus"],
        "in references": row["in_references"],
    }


def _side_by_side(
    rows: Sequence[Mapping[str, Any]], columns: tuple[str, str, str], baseline: str, system: str
) -> Iterator[dict[str, Any]]:
    """A row for each bucket: its bounds, its size, the values of both systems, and their difference."""
    bucket, count, value = columns
    system_values = {row["low"]: row[value] for row in rows if row["system"] == system}
    for row in rows:
        if row["system"] == baseline:
            first, second = row[value], system_values[row["low"]]
            scores = {f"{value} of {baseline}": first, f"{value} of {system}": second, "difference": second - first}
            yield {bucket: _bounds(row), count: row[count], **scores}


def _bounds(row: Mapping[str, Any]) -> str:
    low, high = row["low"], row["high"]
    return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"


def balance(gains: Mapping[str, Any], baseline: str, system: str) -> str:
    """Numbers of segments that are better in each system, in words."""
    return (
        f"{gains['metric']}: {system} is better on {gains['wins']:,} segments, {baseline} on {gains['losses']:,}, "
        f"and {gains['ties']:,} are equal"
    )


def examples_of(answer: Mapping[str, Any], gains: Mapping[str, Any], limit: int | None = None) -> list[Example]:
    """The largest gains, then the largest losses by a metric, up to `limit` of each."""
    texts = {row["segment"]: row for row in answer["texts"]}
    examples = []
    for row in (*gains["most_improved"][:limit], *gains["most_worsened"][:limit]):
        segment = texts[row["segment"]]
        roles = [role for role in ("source", "reference") if role in segment]
        scores, outputs = (row["baseline_score"], row["system_score"]), (segment["baseline"], segment["system"])
        examples.append(Example(row["segment"], row["gain"], scores, roles, [segment[role] for role in roles], outputs))
    return examples


def print_comparison(answer: Mapping[str, Any], baseline: str, system: str, form: Format) -> None:
    """Print tables with titles, examples and verdicts; titles are on stderr for TSV."""
    for section in sections_of(answer, baseline, system):
        _print_title(section.title, form)
        if section.rows:
            print_rows(section.rows, form, width=WIDTH)
        elif form is not Format.TSV:
            print("none")
    for gains in answer["segments"]:
        _print_title(balance(gains, baseline, system), form)
        examples = examples_of(answer, gains, EXAMPLE_LIMIT)
        if form is Format.TEXT:
            _print_examples(examples, baseline, system)
        else:
            print_rows([_example_row(example, baseline, system) for example in examples], form)
    if answer.get("to_judge"):
        numbers = ", ".join(map(str, answer["to_judge"][:EXAMPLE_LIMIT]))
        print_lines([f"segments that people should judge first: {numbers}"], form)
    print_verdicts(answer["verdicts"], form)


def _print_title(title: str, form: Format) -> None:
    title = visible(title)
    if form is Format.TSV:
        say(f"\n{title}:")
    else:
        print(f"\n## {title}\n" if form is Format.MARKDOWN else f"\n{title}")


def _example_row(example: Example, baseline: str, system: str) -> dict[str, Any]:
    outputs = dict(zip((f"output of {baseline}", f"output of {system}"), example.outputs, strict=True))
    texts = dict(zip(example.roles, example.texts, strict=True))
    return {"segment": example.segment, "gain": example.gain, **texts, **outputs}


def _print_examples(examples: Sequence[Example], baseline: str, system: str) -> None:
    for example in examples:
        before, after = example.scores
        print(f"segment {example.segment}: {example.gain:+.4f} ({before:.4f} -> {after:.4f})")
        roles = [*example.roles, baseline, system]
        width = max(map(len, roles))
        for role, text in zip(roles, (*example.texts, *example.outputs), strict=True):
            print(f"  {visible(role):{width}}  {visible(text)}")
