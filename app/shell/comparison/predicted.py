"""A comparison without references: predicted quality, failed checks, and segments that people should judge."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank_operation
from app.shell.inputs import read_lines
from app.shell.languages import languages_of
from app.shell.options.analysis import CompareOptions
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.text.reading.tables import Table

__all__ = ["compared_without_references"]

# Members of a ranking that say something of both systems.
MEMBERS: Final = ("model", "label", "unit", "direction", "pair", "verdicts", "cautions")


def compared_without_references(options: CompareOptions, systems: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The answer of `assay compare` from that of a ranking: verdicts, segments with texts, checks, and segments to judge."""
    baseline, system = systems
    sources = read_lines(str(options.source))
    for name, texts in systems.items():
        if len(texts) != len(sources):
            raise InputError("unequal-lengths", f"{name} has {len(texts)} lines, {options.source} has {len(sources)}")
    request = make_request(
        RankRequest,
        **languages_of(Table({"source": sources, "translation": list(systems[system])}), options.pair, options.server),
        segments=[
            {"source": source, "translations": [{"system": baseline, "text": before}, {"system": system, "text": after}]}
            for source, before, after in zip(sources, systems[baseline], systems[system], strict=True)
        ],
        model=options.model,
        # People's agreement is known for this label.
        label=options.label or (None if options.model else "da"),
        profile=options.profile,
        differences=options.most,
    )
    answer = answer_to(rank_operation, request, options.server)
    [difference] = answer["differences"]
    standings = {row["system"]: row for row in answer["systems"]}
    counts = standings[baseline]["warnings"], standings[system]["warnings"]
    gains = {name: value for name, value in difference.items() if name not in {"system", "to_judge"}}
    numbers = {row["segment"] for kind in ("most_improved", "most_worsened") for row in gains[kind]} | {*difference["to_judge"]}
    return {
        **{
            name: answer[name] for name in ("model", "label", "unit", "direction", "pair", "verdicts", "cautions") if name in answer
        },
        "segments": [{"metric": f"predicted {answer['label']}", **gains}],
        "warnings": [
            {"check": code, baseline: counts[0].get(code, 0), system: counts[1].get(code, 0)}
            for code in sorted({*counts[0], *counts[1]})
        ],
        "to_judge": difference["to_judge"],
        "texts": [
            {"segment": k, "source": sources[k - 1], "baseline": systems[baseline][k - 1], "system": systems[system][k - 1]}
            for k in sorted(numbers)
        ],
    }
