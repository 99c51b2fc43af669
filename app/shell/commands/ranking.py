"""`assay rank` and `assay choose`."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.documents.several import read_candidates
from app.errors import InputError
from app.operations.choose import ChooseRequest
from app.operations.choose import operation as choose_operation
from app.operations.operation import Json
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank_operation
from app.operations.rank.candidates import segments_of_candidates, texts_of_candidates
from app.shell.commands.large_tables.columns import write_ranks
from app.shell.commands.large_tables.runs import writes_files
from app.shell.declaration.forms import Format
from app.shell.gates.comparisons import ComparisonGates, check_comparison
from app.shell.gates.report import Case, junit_report
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.languages import languages_of, languages_of_service
from app.shell.models_of_systems import models_of
from app.shell.options.ranking import CandidateOptions, ChooseOptions, RankOptions
from app.shell.output import counted, fail, print_answer, print_json, print_rows, print_verdicts, quietly, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scoring.tables import LEGEND, WIDTH, p_cell
from app.shell.segments import read_sources_of
from app.text import LanguagePair
from app.text.reading.tables import Table

__all__ = ["print_choices", "print_ranks"]


def print_ranks(options: RankOptions) -> None:
    """Rank several systems' translations of the same sources."""
    if writes_files(options):
        write_ranks(options)
        return
    if options.translate and not options.systems:
        _refuse_header(options)
        segments: list[Json] = []
        table = Table({"source": _sources(options), "translation": []})
    else:
        segments, table = _read_lists(options) if options.systems else _read_candidates(options)
    systems = {translation["system"] for segment in segments for translation in segment["translations"]} | set(
        options.translate or ()
    )
    gates = ComparisonGates(options.fail_if_worse, options.fail_unless_better)
    check_comparison(gates, systems, "")
    with quietly(options.quiet):
        answer = _answer(options, segments, table)
        cases = _cases(answer, gates)
        standing = {row["system"] for row in answer["systems"]}
        absent = [name for name in options.translate or () if gates and name not in standing]
        cases += [Case(name, answer["label"], (f"the service {name} failed, so it is not compared",), "") for name in absent]
        if options.form == "junit":
            print(junit_report("rank", cases))
        else:
            _print(answer, Format(options.form), options.segments)
    fail([sentence for case in cases for sentence in case.failures])


def print_choices(options: ChooseOptions) -> None:
    """Choose the best translation of each source that breaks no check, or none."""
    segments, table = _read_lists(options) if options.systems else _read_candidates(options)
    with quietly(options.quiet):
        request = make_request(
            ChooseRequest,
            **languages_of(table, options.pair, options.server),
            segments=segments,
            model=options.model,
            label=options.label,
            profile=options.profile,
            min_quality=options.min_quality,
            fail_on=options.fail_on,
        )
        answer = answer_to(choose_operation, request, options.server)
        if answer["choices"] < len(segments):
            say(f"{len(segments) - answer['choices']} of {counted(len(segments), 'source')} have no choice")
    if options.form is Format.JSON:
        print_json(answer)
    else:
        print_rows([_choice_row(number, row) for number, row in enumerate(answer["segments"], 1)], options.form)


def _choice_row(number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of choices; without a choice, its system and text are empty."""
    confidence = next((entry["confidence"] for entry in row["candidates"] if entry["verdict"] == "choice"), "")
    system, text = row["system"] or "", row["translation"] or ""
    return {"segment": number, "system": system, "confidence": confidence, "reason": row["reason"], "translation": text}


def _refuse_header(options: CandidateOptions) -> None:
    if options.header is not None:
        raise InputError("invalid-request", "files of lines have no heading; leave the option out", ("--header",))


def _sources(options: RankOptions) -> list[str]:
    """Sources in lines; for services those that they may get."""
    if not options.translate:
        return read_lines(options.source)
    with quietly(options.quiet):
        return read_sources_of(options.source, LanguagePair(*languages_of_service(options.pair).values()))


def _read_lists(options: CandidateOptions) -> tuple[list[Json], Table]:
    """Segments of a request, and a table that shows their languages, from files of lines."""
    _refuse_header(options)
    sources = _sources(options) if isinstance(options, RankOptions) else read_lines(options.source)
    lists = named_lists(options.systems or [])
    for name, lines in lists.items():
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{name} has {len(lines)} lines, {options.source} has {len(sources)}")
    return _candidates(sources, lists), Table({"source": sources, "translation": next(iter(lists.values()))})


def _read_candidates(options: CandidateOptions) -> tuple[list[Json], Table]:
    """Segments of a request, and a table that shows their languages, from one file with several translations."""
    pair = LanguagePair.parse(options.pair) if options.pair else None
    document = read_candidates(read_file_bytes(options.source), options.source, pair, header=options.header)
    if not options.quiet:
        say(f"{options.source}: {document.answer()['sentence']}")
    sources, translations = texts_of_candidates(document)
    return segments_of_candidates(document), Table({"source": sources, "translation": translations}, document.languages)


def _answer(options: RankOptions, segments: Sequence[Json], table: Table) -> Any:
    request = make_request(
        RankRequest,
        **(languages_of_service(options.pair) if options.translate else languages_of(table, options.pair, options.server)),
        **({"segments": segments} if segments else {"sources": table["source"]}),
        translate=options.translate,
        **models_of(options.model),
        label=options.label,
        profile=options.profile,
        warnings=options.warnings,
        baseline=options.baseline,
        alpha=options.alpha,
    )
    return answer_to(rank_operation, request, options.server)


def _cases(answer: Mapping[str, Any], gates: ComparisonGates) -> list[Case]:
    """A case for each system; it fails if the verdict on the system fails a gate."""
    verdicts = {verdict["system"]: verdict for verdict in answer.get("verdicts", ())}
    cases = []
    for row in answer["systems"]:
        verdict = verdicts.get(row["system"])
        output = f"{row['mean']:.4f} {answer['label']} ({answer['unit']}, {answer['direction']}), {answer['model']}"
        if verdict is None:
            cases.append(Case(row["system"], answer["label"], (), output))
        else:
            cases.append(Case(row["system"], answer["label"], gates.failures(verdict), f"{output}\n{verdict['sentence']}"))
    return cases


def _print(answer: Mapping[str, Any], form: Format, segments: bool) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    verdicts = answer.get("verdicts", ())
    if segments:
        print_rows(
            [_ordered(number, row["order"], row["better_probability"]) for number, row in enumerate(answer["segments"], 1)], form
        )
    elif form is Format.TSV:
        print_answer({**answer, "systems": [_standing(row, form) for row in answer["systems"]]}, "systems", form)
    else:
        tests = {verdict["system"]: verdict for verdict in verdicts}
        rows = [_tested(_standing(row, form), tests.get(row["system"])) for row in answer["systems"]]
        print_answer({**answer, "systems": rows}, "systems", form, width=WIDTH)
        if verdicts:
            say(LEGEND)
    print_verdicts(verdicts, form)


def _tested(row: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> dict[str, Any]:
    """A row with the difference from the baseline and its p-value; both cells of the baseline are empty."""
    if verdict is None:
        return {**row, "difference": "", "p": ""}
    return {**row, "difference": verdict["difference"], "p": p_cell(verdict["p_value"])}


def _ordered(number: int, order: Sequence[Mapping[str, Any]], better_probability: float) -> dict[str, Any]:
    """A segment's systems from best to worst, the winner's text if a service made it, and failed checks as SYSTEM=CODE."""
    row = {"segment": number, "order": " ".join(entry["system"] for entry in order), "better_probability": better_probability}
    if any("text" in entry for entry in order):
        row["translation"] = order[0].get("text", "")
    if all("warnings" in entry for entry in order):
        row["warnings"] = " ".join(f"{entry['system']}={warning['code']}" for entry in order for warning in entry["warnings"])
    return row


def _standing(row: Mapping[str, Any], form: Format) -> dict[str, Any]:
    """A system's row of a table; what is not known of it is an empty cell."""
    plain = {name: "" if value is None and name != "interval" else value for name, value in row.items()}
    if form is not Format.TSV:
        plain["interval"] = "" if row["interval"] is None else row["interval"]
        if "warnings" in row:
            plain["warnings"] = " ".join(f"{code}={count}" for code, count in row["warnings"].items())
    return plain


def _candidates(sources: Sequence[str], systems: Mapping[str, Sequence[str]]) -> list[Json]:
    return [
        {"source": source, "translations": [{"system": name, "text": text} for name, text in zip(systems, texts, strict=True)]}
        for source, *texts in zip(sources, *systems.values(), strict=True)
    ]
