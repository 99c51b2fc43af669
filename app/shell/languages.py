"""Languages of requests, from options, from declarations in files, or guessed from the words."""

from typing import Any

from app.errors import InputError
from app.operations.operation import Json
from app.operations.parts.languages import SAMPLE_SIZE, check_named, guess_languages
from app.shell.here import engine_here
from app.shell.output import say
from app.text import LanguagePair
from app.text.reading.tables import Table

__all__ = ["languages", "languages_of", "languages_of_service"]


def languages(pair: str) -> Json:
    """The languages of ``ro-en`` as fields."""
    return _fields(LanguagePair.parse(pair))


def languages_of(table: Table, pair: str | None, server: str | None) -> Json:
    """Languages of segments as fields: of the option, else of the file, else guessed from the words and printed.

    InputError if option and file differ, or if no loaded pair fits the words.
    """
    if pair is not None:
        named_pair = LanguagePair.parse(pair)
        check_named(table.languages, named_pair)
        return _fields(named_pair)
    source, target = table.languages
    if source is not None and target is not None:
        pair_of_table, reason = LanguagePair(source, target), "as the file says"
    else:
        pair_of_table, reason = _by_words(table, server), "by its words"
    say(f"{pair_of_table.title}, {reason}")
    return _fields(pair_of_table)


def languages_of_service(pair: str | None) -> Json:
    """Languages for a translation service as fields; InputError without the option, since sources show no target language."""
    if pair is None:
        raise InputError("invalid-request", "a translation service needs the languages, as --pair ro-en", ("--pair",))
    return languages(pair)


def _by_words(table: Table, server: str | None) -> LanguagePair:
    sources, translations = table["source"], table["translation"]
    if server is None:
        return guess_languages(engine_here(), sources, translations, table.languages)
    step = max(1, len(sources) // SAMPLE_SIZE)
    files = {"source": sources, "translation": translations}
    parts = {
        name: (f"{name}.txt", "\n".join(" ".join(text.split()) for text in texts[::step][:SAMPLE_SIZE]).encode())
        for name, texts in files.items()
    }
    # A command without a server loads no client.
    from assay_client.requests import Call

    from app.shell.there import calling

    with calling(server) as client:
        about: Any = client.send(Call("POST", "/v1/files", files=parts))
    pair = about["pair"]
    if pair is None:
        detail = "the server knows no language pair by these words; name the languages, as ro-en"
        raise InputError("unknown-language-pair", detail, ("--pair",))
    pair_of_words = LanguagePair.parse(pair)
    check_named(table.languages, pair_of_words)
    return pair_of_words


def _fields(pair: LanguagePair) -> Json:
    return {"source_language": pair.source, "target_language": pair.target}
