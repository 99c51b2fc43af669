"""ITS 2.0 in translation files: the MT Confidence of a translation, who says so, and a document's quality rating.

Source: W3C, Internationalization Tag Set 2.0, sections 8.20 (MT Confidence), 8.18 (Localization Quality Rating), 5.7 (annotators).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any, Final

from app.documents.document import Mark
from app.documents.xml.markup import Edit, Markup, attribute_names, with_attributes

__all__ = ["ITS", "Its"]

ITS: Final = "http://www.w3.org/2005/11/its"
OURS: Final = "urn:assay:model:"
DECLARED: Final = re.compile(r"xmlns:([^\s=<>/\"']++)")


class Its:
    """Attributes of ITS in one document, with the prefix that it uses for them or a free one.

    A prefix is used that means ITS wherever it may stand: one that nothing but the root declares.
    """

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        times = Counter(match[1] for match in DECLARED.finditer(markup.text))
        own = [prefix for prefix, uri in markup.root.nsmap.items() if prefix and uri == ITS and times[prefix] == 1]
        self._declared = bool(own)
        names = chain(["its"], (f"its{k}" for k in count(2)))
        self.prefix = own[0] if own else next(name for name in names if name not in times)

    def confidence(self, mark: Mark, element: Any = None) -> dict[str, str]:
        """The attributes that state a confidence and its annotator; what `element` says of other annotators is kept."""
        value = element.get(f"{{{ITS}}}annotatorsRef", "") if element is not None else ""
        others = [reference for reference in value.split() if not reference.startswith("mt-confidence|")]
        annotators = " ".join([*others, f"mt-confidence|{OURS}{mark.model}"])
        return {
            self._written(element, "mtConfidence"): mark.number,
            self._written(element, "annotatorsRef"): annotators,
        }

    def _written(self, element: Any, name: str) -> str:
        """An attribute's name as the element has it, under any prefix that means ITS there; else with ours."""
        if element is None or element.get(f"{{{ITS}}}{name}") is None:
            return f"{self.prefix}:{name}"
        span = self._markup.spans[element]
        own = [
            written for written in attribute_names(self._markup.text[span.start : span.inside]) if written.partition(":")[2] == name
        ]
        return own[0] if len(own) == 1 else next(written for written in own if element.nsmap.get(written.partition(":")[0]) == ITS)

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
                    self._written(element, "locQualityRatingScore"): f"{100 * mean:.2f}",
                    self._written(element, "locQualityRatingProfileRef"): f"{OURS}{marks[0].model}",
                }
                edits.append(self.tag_edit(element, rating))
        return edits
