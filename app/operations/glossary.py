"""The glossary of a request: its terms, or the text of its file."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from app.operations.operation import Body
from app.operations.parts.names import Language
from app.text import LanguagePair
from app.text.reading.checking import TERM_LENGTH, TERM_LIMIT, VARIANT_LIMIT

if TYPE_CHECKING:
    from app.documents.glossaries import Glossary

__all__ = [
    "GLOSSARY",
    "GlossaryField",
    "GlossaryFile",
    "GlossaryTerm",
    "cautions_of_glossary",
    "fields_of_glossary",
    "requested_glossary",
]

GLOSSARY: Final = "Terms that translations are checked for, or the text of a glossary"
Text = Annotated[str, Field(min_length=1, max_length=TERM_LENGTH)]
Variants = Annotated[list[Text], Field(max_length=VARIANT_LIMIT)]


class GlossaryTerm(Body):
    """A source term with its translations, the preferred one first, and with forbidden translations."""

    source: Text
    target: Annotated[Variants, Field(default_factory=list, description="Translations, the preferred one first")]
    forbidden: Annotated[Variants, Field(default_factory=list, description="Translations that are errors")]
    case: Annotated[Literal["any", "exact"], Field(description="exact: capital and small letters as in the term")] = "any"
    note: Annotated[str, Field(max_length=2000)] = ""
    language: Annotated[Language | None, Field(description="Language of the translations; any if null")] = None


class GlossaryFile(Body):
    """A glossary in CSV, TSV or TBX."""

    name: Annotated[str, Field(max_length=300, pattern=r"\.(?i:csv|tsv|tbx)$", description="Name that ends in .csv, .tsv or .tbx")]
    text: Annotated[str, Field(max_length=20_000_000)]


GlossaryField = Annotated[list[GlossaryTerm], Field(min_length=1, max_length=TERM_LIMIT)] | GlossaryFile


def requested_glossary(glossary: GlossaryField | None, source_language: str) -> "Glossary | None":
    """The glossary of a request; InputError (`invalid-glossary`) names a term or a line that cannot be used."""
    if glossary is None:
        return None
    # Formats of documents load lxml, which most requests do not need.
    from app.documents.glossaries import Term, read_glossary
    from app.documents.glossaries.glossary import checked_term, glossary_of

    if isinstance(glossary, GlossaryFile):
        # The mark goes before the encoding that a file declares.
        raw = ("\ufeff" + glossary.text.removeprefix("\ufeff")).encode("utf-8", "surrogatepass")
        return read_glossary(raw, glossary.name, source_language)
    terms = (
        checked_term(
            Term(row.source, tuple(row.target), tuple(row.forbidden), row.case == "exact", row.note, row.language),
            ("glossary", place),
        )
        for place, row in enumerate(glossary)
    )
    return glossary_of(terms, ("glossary",))


def fields_of_glossary(glossary: "Glossary") -> list[dict[str, Any]]:
    """A glossary as the field of a request; fields at their defaults are left out."""
    return [
        {
            "source": term.source,
            "target": list(term.targets),
            **({"forbidden": list(term.forbidden)} if term.forbidden else {}),
            **({"case": "exact"} if term.exact_case else {}),
            **({"language": term.language} if term.language else {}),
        }
        for term in glossary.terms
    ]


def cautions_of_glossary(glossary: "Glossary | None", pair: LanguagePair) -> list[str]:
    """Cautions about languages without lemmas, for an answer that looked at a glossary."""
    if glossary is None:
        return []
    from app.resources.terminology import terminology_of

    return terminology_of(glossary, pair).cautions
