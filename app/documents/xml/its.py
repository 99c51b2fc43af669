"""ITS 2.0 in translation files: the MT Confidence of a translation, who says so, and a document's quality rating.

Source: W3C, Internationalization Tag Set 2.0, sections 8.20 (MT Confidence), 8.18 (Localization Quality Rating), 5.7 (annotators).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.documents.document import Mark
from app.documents.xml.markup import Edit, Markup, with_attributes

__all__ = ["ITS", "Its"]

ITS: Final = "http://www.w3.org/2005/11/its"
OURS: Final = "urn:assay:model:"


class Its:
    """Attributes of ITS in one document, with the prefix that it uses for them or a free one."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        prefixes = {uri: prefix for prefix, uri in markup.root.nsmap.items() if prefix}
        self._declared = ITS in prefixes
        taken = (prefix for prefix in ("its", "its2", "assay-its") if f"xmlns:{prefix}=" not in markup.text)
        self.prefix = prefixes[ITS] if self._declared else next(taken, "assay-its-20")

    def confidence(self, mark: Mark, element: Any = None) -> dict[str, str]:
        """The attributes that state a confidence and its annotator; what `element` says of other annotators is kept."""
        value = element.get(f"{{{ITS}}}annotatorsRef", "") if element is not None else ""
        others = [reference for reference in value.split() if not reference.startswith("mt-confidence|")]
        annotators = " ".join([*others, f"mt-confidence|{OURS}{mark.model}"])
        return {f"{self.prefix}:mtConfidence": mark.number, f"{self.prefix}:annotatorsRef": annotators}

    def tag_edit(self, element: Any, values: Mapping[str, str]) -> Edit:
        """The edit that sets attributes of an element."""
        span = self._markup.spans[element]
        return Edit(span.start, span.inside, with_attributes(self._markup.text[span.start : span.inside], values))

    def document_edits(self, files: Sequence[tuple[Any, Sequence[Mark]]]) -> list[Edit]:
        """The namespace on the root, and on each file the mean of its marks as a rating from 0 to 100."""
        edits = []
        root = self._markup.root
        if not self._declared:
            values = {f"xmlns:{self.prefix}": ITS}
            if root.get(f"{{{ITS}}}version") is None:
                values[f"{self.prefix}:version"] = "2.0"
            edits.append(self.tag_edit(root, values))
        for element, marks in files:
            if marks:
                mean = sum(mark.confidence for mark in marks) / len(marks)
                rating = {
                    f"{self.prefix}:locQualityRatingScore": f"{100 * mean:.2f}",
                    f"{self.prefix}:locQualityRatingProfileRef": f"{OURS}{marks[0].model}",
                }
                edits.append(self.tag_edit(element, rating))
        return edits
