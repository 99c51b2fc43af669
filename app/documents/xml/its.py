"""MT Confidence, its annotator and quality ratings of ITS 2.0 in translation files.

Source: W3C, Internationalization Tag Set 2.0, sections 8.20 (MT Confidence), 8.18 (Localization Quality Rating), 5.7 (annotators).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any, Final

from app.documents.document import QualityMark
from app.documents.retexting import Edit
from app.documents.xml.markup import XmlMarkup, attribute_names, with_attributes

__all__ = ["ITS_NAMESPACE", "ItsAttributes"]

ITS_NAMESPACE: Final = "http://www.w3.org/2005/11/its"
MODEL_URN: Final = "urn:assay:model:"
NAMESPACE_PREFIX: Final = re.compile(r"xmlns:([^\s=<>/\"']++)")


class ItsAttributes:
    """Attributes of ITS in one document, with a prefix for them.

    The prefix is one that only the root declares, so that it means ITS everywhere; else a free one.
    """

    def __init__(self, markup: XmlMarkup) -> None:
        self._markup = markup
        times = Counter(match[1] for match in NAMESPACE_PREFIX.finditer(markup.text))
        prefixes = [prefix for prefix, uri in markup.root.nsmap.items() if prefix and uri == ITS_NAMESPACE and times[prefix] == 1]
        self._has_prefix = bool(prefixes)
        names = chain(["its"], (f"its{k}" for k in count(2)))
        self.prefix = prefixes[0] if prefixes else next(name for name in names if name not in times)

    def confidence(self, mark: QualityMark, element: Any = None) -> dict[str, str]:
        """Attributes for a confidence and its annotator; other annotators of `element` are kept."""
        value = element.get(f"{{{ITS_NAMESPACE}}}annotatorsRef", "") if element is not None else ""
        references = [reference for reference in value.split() if not reference.startswith("mt-confidence|")]
        annotators = " ".join([*references, f"mt-confidence|{MODEL_URN}{mark.model}"])
        return {self._full_name(element, "mtConfidence"): mark.number, self._full_name(element, "annotatorsRef"): annotators}

    def _full_name(self, element: Any, name: str) -> str:
        """Name of an ITS attribute with its prefix in the element, or with `self.prefix` if the element lacks it."""
        if element is None or element.get(f"{{{ITS_NAMESPACE}}}{name}") is None:
            return f"{self.prefix}:{name}"
        full_names = attribute_names(self._markup.start_tag(element))
        names = [full_name for full_name in full_names if full_name.partition(":")[2] == name]
        return names[0] if len(names) == 1 else next(n for n in names if element.nsmap.get(n.partition(":")[0]) == ITS_NAMESPACE)

    def tag_edit(self, element: Any, values: Mapping[str, str]) -> Edit:
        """Edit that sets attributes of an element."""
        return self._markup.tag_edit(element, with_attributes(self._markup.start_tag(element), values))

    def document_edits(self, files: Sequence[tuple[Any, Sequence[QualityMark]]]) -> list[Edit]:
        """Edits that declare the namespace on the root, and rate each file with the mean of its marks, from 0 to 100."""
        edits = []
        root = self._markup.root
        if not self._has_prefix:
            values = {f"xmlns:{self.prefix}": ITS_NAMESPACE}
            if root.get(f"{{{ITS_NAMESPACE}}}version") is None:
                values[f"{self.prefix}:version"] = "2.0"
            edits.append(self.tag_edit(root, values))
        for element, marks in files:
            if marks:
                mean = sum(mark.confidence for mark in marks) / len(marks)
                rating = {
                    self._full_name(element, "locQualityRatingScore"): f"{100 * mean:.2f}",
                    self._full_name(element, "locQualityRatingProfileRef"): f"{MODEL_URN}{marks[0].model}",
                }
                edits.append(self.tag_edit(element, rating))
        return edits
