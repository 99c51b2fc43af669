"""A filter of datatrove: documents are translations, with their sources in the metadata."""

from typing import Any

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

from app.scale.adapters.pairs import higher_is_better
from app.scale.scorer import Scorer

__all__ = ["AssayQuality"]


class AssayQuality(BaseFilter):  # type: ignore[misc]
    """Writes ``metadata["assay_quality"]`` of each document, and with a `threshold` drops those with a worse quality.

    `src_key` is the key of the source in the metadata. A document with a fault has it in ``metadata["assay_quality_error"]``; a
    threshold drops it. `options` are those of `Scorer`.
    """

    name = "Assay quality"

    def __init__(
        self,
        src_key: str = "src",
        threshold: float | None = None,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 256,
        **options: Any,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.src_key, self.threshold = src_key, threshold
        self.scorer = Scorer(src="src", mt="mt", **options)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """True for a document to keep, or False with the reason."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Results of `filter` for documents that are result together."""
        result = self.scorer({"src": [doc.metadata.get(self.src_key) for doc in batch], "mt": [doc.text for doc in batch]})
        out = self.scorer.out
        results: list[bool | tuple[bool, str]] = []
        for doc, score, error in zip(batch, result[out].tolist(), result[f"{out}_error"].tolist(), strict=True):
            doc.metadata |= {out: score} if error is None else {f"{out}_error": error}
            if self.threshold is None:
                results.append(True)
            elif error is not None:
                results.append((False, "fault"))
            else:
                is_good = score >= self.threshold if higher_is_better(self.scorer) else score <= self.threshold
                results.append(is_good or (False, "low_quality"))
        return results
