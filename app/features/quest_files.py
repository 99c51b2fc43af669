"""QuEst's own feature files: XML with one ``<feature index="1001" .../>`` per feature."""

from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from app.errors import InputError
from app.features.catalogue import CATALOGUE

__all__ = ["read_quest_features"]

LONGEST: Final = 1_000_000


def read_quest_features(content: bytes) -> tuple[list[str], list[str]]:
    """Ids of the features in a file, in its order: known ones, and unknown ones.

    InputError for another file, and for a document type, which could define entities.
    """
    if len(content) > LONGEST:
        raise InputError("invalid-table", f"a feature file has at most {LONGEST} bytes")
    ids: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "feature" and "index" in attributes:
            ids.append(attributes["index"].strip())

    def refuse(*_: object) -> None:
        raise InputError("invalid-table", "a feature file has no document type and no entities")

    parser = ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except ExpatError as error:
        raise InputError("invalid-table", f"line {error.lineno} of the feature file is not XML") from None
    if not ids:
        raise InputError("invalid-table", 'the file holds no <feature index="..."/>')
    distinct = list(dict.fromkeys(ids))
    return [name for name in distinct if name in CATALOGUE], [name for name in distinct if name not in CATALOGUE]
