"""`assay quality` and `words`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.operations.parts.terms import BY_RISK, BandChoice
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality_operation
from app.operations.words import WordsRequest
from app.operations.words import operation as words_operation
from app.planning.band_lists import BANDS, read_bands, read_numbers
from app.planning.bands import Band, check_bands
from app.shell.commands.large_tables.columns import write_quality, write_words
from app.shell.commands.large_tables.runs import writes_files
from app.shell.declaration.forms import Format
from app.shell.declaration.glossaries import glossary_field
from app.shell.declaration.parameters import refuse
from app.shell.gates.documents import DocumentLimit, document_case
from app.shell.gates.report import Case, junit_report
from app.shell.gates.warnings import cases_of_rows, read_codes_of_rows
from app.shell.languages import languages_of, languages_of_service
from app.shell.options.quality import QualityOptions, WordsOptions
from app.shell.output import counted, fail, print_answer, print_json, print_rows, quietly, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.segments import decoder_columns, read_pairs, read_sources_of, segments_of
from app.text import LanguagePair

__all__ = ["print_quality", "print_words"]

# Names of the fields of a band in --bands.
BAND_PARTS: Final = {"name": "NAME", "at_least": "FROM", "rate": "RATE"}


def print_quality(options: QualityOptions) -> None:
    """Predict the quality of every segment, without a reference."""
    if writes_files(options):
        write_quality(options)
        return
    if options.level == "word":
        scores = {
            "--label": options.label,
            "--profile": options.profile,
            "--interval": options.interval,
            "--explain": options.explain,
            "--words": options.words,
            "--glossary": options.glossary,
        }
        terms = {
            "--fail-on": options.fail_on,
            "--fail-below": options.fail_below,
            "--format junit": options.form == "junit",
            "--bands": options.bands,
            "--accept": options.accept,
            "--currency": options.currency,
            "--word-price": options.word_price,
        }
        refuse({**scores, **terms}, "--level word answers tags and no scores; leave one of the two out")
    if options.level == "document":
        refuse(
            {"--fail-on": options.fail_on, "--fail-below": options.fail_below, "--format junit": options.form == "junit"},
            "--level document has no gates; leave one of the two out",
        )
    if options.warnings is False:
        refuse(
            {"--fail-on": options.fail_on, "--glossary": options.glossary},
            "--no-warnings makes no warnings; leave one of the two out",
        )
    has_gate = options.fail_below is not None and options.warnings is not False
    codes = read_codes_of_rows(options.fail_on, has_gate)
    limit = DocumentLimit.read(options.fail_below, options.label)
    with quietly(options.quiet):
        answer = _answer(options, codes, limit)
        cases: list[Case] = []
        if options.level == "word":
            _print_words(answer, Format(options.form))
        elif options.level == "document":
            print_answer(answer, "documents", Format(options.form))
        else:
            subject = ", ".join(Path(file).name for file in options.files)
            cases = [document_case(answer, subject, limit), *cases_of_rows(answer["segments"], codes, subject)]
            if options.form == "junit":
                print(junit_report("quality", cases))
            else:
                _print_quality(answer, Format(options.form))
    fail([sentence for case in cases for sentence in case.failures])


def _answer(options: QualityOptions, codes: Sequence[str], limit: DocumentLimit | None) -> Any:
    """The answer; without --label, the gate's label is predicted."""
    texts = _texts(options)
    request = make_request(
        QualityRequest,
        **texts,
        glossary=glossary_field(options.glossary, texts["source_language"]),
        model=options.model,
        label=options.label if limit is None else limit.label,
        profile=options.profile,
        interval=options.interval,
        explain=options.explain,
        words=options.words,
        warnings=options.warnings is not False,
        bands=_bands(options.bands),
        accept=_acceptance(options.accept),
        currency=options.currency,
        word_price=options.word_price,
        level=options.level,
        from_systems=options.from_systems,
    )
    return answer_to(quality_operation, request, options.server)


def _texts(options: QualityOptions) -> dict[str, Any]:
    """Fields of languages and segments, or of sources for a translation service."""
    if options.translate is None:
        table = read_pairs(options.files, options.log_probs, options.tokens, options.header, options.pair)
        documents = table["document"] if options.level == "document" and "document" in table.columns else None
        segments = segments_of(table, document=documents, **decoder_columns(options))
        return {**languages_of(table, options.pair, options.server), "segments": segments}
    refuse(
        {
            "--log-probs": options.log_probs,
            "--tokens": options.tokens,
            "--header": options.header,
            "--n-best": options.n_best,
            "--moses-log": options.moses_log,
            "--search-graph": options.search_graph,
        },
        "--translate reads a file of sources alone; leave one of the two out",
    )
    if len(options.files) != 1:
        raise InputError("invalid-request", "--translate reads one file of sources, a line each", ("--translate",))
    languages = languages_of_service(options.pair)
    sources = read_sources_of(options.files[0], LanguagePair(*languages.values()))
    return {**languages, "sources": sources, "translate": options.translate}


def _bands(spec: str | None) -> list[dict[str, Any]] | str | None:
    """``good=0.8:0.3,rest=0:1``, or ``risk``; without a rate, words are paid in full."""
    if spec is None or spec == BY_RISK:
        return spec
    bands = read_bands(spec, ("--bands",))
    for band in bands:
        _check_band(band)
    try:
        check_bands([Band(band["name"], band["at_least"], band.get("rate", 1.0)) for band in bands])
    except InputError as error:
        detail = error.detail.replace("at_least", BAND_PARTS["at_least"])
        raise InputError(error.code, f"{detail}; they are {BANDS}", ("--bands",)) from None
    return bands


def _check_band(band: dict[str, Any]) -> None:
    """Raise InputError for a wrong field, by its name in --bands."""
    try:
        make_request(BandChoice, **band)
    except InputError as error:
        detail = f"{BAND_PARTS[str(error.where[0])]} of {band['name'] or 'a band'}: {error.detail}; bands are {BANDS}"
        raise InputError(error.code, detail, ("--bands",)) from None


def _acceptance(spec: str | None) -> dict[str, float] | None:
    if spec is None:
        return None
    numbers = read_numbers(spec, "accept is WORST or WORST:RATE, as 0.3:0.1 or 30%:10%", ("--accept",))
    return dict(zip(("at_worst", "error_rate"), numbers, strict=False))


def _print_quality(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    document = dict(answer["document"])
    bands, acceptance = document.pop("bands", []), document.pop("acceptance", None)
    total, terms = document.pop("total", None), document.pop("terms", None)
    rows = [{"segment": number, **(row if form is Format.TSV else _plain(row))} for number, row in enumerate(answer["segments"], 1)]
    print_answer({**answer, "document": document, "segments": rows}, "segments", form)
    _say_of_rows(answer["segments"], form)
    say("of the document, score and confidence are plain means of its segments; weighted_score weights them by their length")
    for name, row in [*((f"band {band['name']}", band) for band in bands), *([("total", total)] if total else [])]:
        amount = f", {row['paid']:.2f} {terms['currency']}" if "paid" in row else ""
        size = f"{counted(row['segments'], 'segment')}, {counted(row['source_words'], 'word')}"
        say(f"{name}: {size}, {row['paid_words']:.1f} paid{amount}")
    if terms is not None:
        say(terms["assumption"])
    if acceptance is not None:
        threshold = "no threshold" if acceptance["threshold"] is None else f"threshold {acceptance['threshold']:.4f}"
        segments = counted(acceptance["accepted"], "segment")
        summary = f"accepted: {segments} with {acceptance['expected_errors']:.1f} expected errors"
        say(f"{summary}; {threshold}; {acceptance['meaning']}")


def _say_of_rows(rows: Sequence[Mapping[str, Any]], form: Format) -> None:
    """Explain the signs of marked words, and texts that were read in part."""
    words = [word for row in rows for side in ("words", "source_tags") for word in row.get(side, ())]
    if form is not Format.TSV and any(word["tag"] == "BAD" or word.get("possible") for word in words):
        say("[word] looks wrong, [word?] may be wrong")
    if cut := sum(bool(row.get("truncated")) for row in rows):
        say(f"{counted(cut, 'segment')} longer than a limit of a model; the scores, warnings and tags are those of the beginning")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for a table that people read: tags, warnings and contributions as text."""
    plain = {name: value for name, value in row.items() if name not in ("words", "gaps", "source_tags", "warnings")}
    if "words" in row:
        plain |= _tags(row)
    if "warnings" in row:
        plain["warnings"] = ", ".join(f"{warning['code']} ({warning['severity']})" for warning in row["warnings"])
    if "reasons" in row:
        plain["reasons"] = "; ".join(_reason(reason) for reason in row["reasons"])
    if "contributions" in row:
        plain["contributions"] = " ".join(f"{entry['feature']}={entry['contribution']}" for entry in row["contributions"])
    return plain


def _reason(reason: Mapping[str, Any]) -> str:
    """``numbers: 250 / 520``."""
    words = " / ".join(", ".join(reason[side]) for side in ("source", "translation") if reason[side])
    return f"{reason['code']}: {words}" if words else str(reason["code"])


def _tags(row: Mapping[str, Any]) -> dict[str, str]:
    tags = {
        "words": _bracketed(row["words"]),
        "word_tags": " ".join(word["tag"] for word in row["words"]),
        "gap_tags": " ".join(gap["tag"] for gap in row["gaps"]),
    }
    if "source_tags" in row:
        tags["tagged_source"] = _bracketed(row["source_tags"])
        tags["source_tags"] = " ".join(word["tag"] for word in row["source_tags"])
    return tags


def _bracketed(words: Sequence[Mapping[str, Any]]) -> str:
    """Words in a line: ``[wrong]`` and ``[possible?]``."""
    return " ".join(
        f"[{word['text']}]" if word["tag"] == "BAD" else f"[{word['text']}?]" if word.get("possible") else word["text"]
        for word in words
    )


def print_words(options: WordsOptions) -> None:
    """Say of every word and every gap whether it is OK or BAD."""
    if writes_files(options):
        write_words(options)
        return
    table = read_pairs(options.files, options.log_probs, options.tokens, options.header, options.pair)
    request = make_request(
        WordsRequest, **languages_of(table, options.pair, options.server), model=options.model, segments=segments_of(table)
    )
    _print_words(answer_to(words_operation, request, options.server), options.form)


def _print_words(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
    else:
        print_rows(
            [
                {"segment": number, **(row if form is Format.TSV else _tags(row))}
                for number, row in enumerate(answer["segments"], 1)
            ],
            form,
        )
        _say_of_rows(answer["segments"], form)
