"""Columns that are computed of texts, batch by batch."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

from app.engine import Engine
from app.engine.profiles import Profile
from app.engine.segments import Segments
from app.errors import InputError
from app.predictors import Card
from app.predictors.word_tags.model import WordTagCard
from app.scale.batches import Batch, NewColumn, column_of, typed_batch, with_columns, without_faults
from app.scale.engines import engine_of, longest_segment
from app.scale.rows import TextRows, text_rows
from app.text import LanguagePair
from app.text.languages import ANY_PAIR
from app.text.reading.column_names import SOURCE, TRANSLATION
from app.text.reading.columns import heading_roles

__all__ = ["PairColumns", "TextColumns", "usual_columns"]

# Segments of one call of the engine: its arrays stay small, whatever the size of a batch.
CHUNK: Final = 1024


@dataclass(frozen=True)
class TextColumns(ABC):
    """Adds columns to a batch of a table. Rows stay in their order, and none is dropped.

    A batch is a dict of arrays (Ray's ``map_batches``), a table or record batch of Arrow, a data frame of pandas (Dask's
    ``map_partitions``) or of Polars. A batch of Hugging Face's ``map`` becomes a table of Arrow. Of an iterator of batches
    (Spark's ``mapInArrow``) the result is an iterator.

    `src` is the column of sources. The column `out` with `_error` has the fault of a row, such as a null or a text that is too
    long. The row has no value in the others. Without `pair`, the pair is that of the model. The object is pickled as its
    options, and its engine opens at the first call in a process. InputError: unknown models, pairs and columns.
    """

    model: str | None = None
    pair: str | None = None
    label: str | None = None
    profile: Profile | None = None
    src: str = "src"
    out: str = "assay_quality"
    interval: float = 0.9
    resources: str | None = None
    models: str | None = None
    threads: int = 1

    def __call__(self, batch: Batch) -> Batch:
        """The batch with the new columns."""
        if isinstance(batch, Iterator):
            return map(self, batch)
        if type(batch).__name__ == "LazyFrame":
            raise InputError("invalid-table", "a lazy frame has no rows yet; call .collect() before", (self.src,))
        batch = typed_batch(batch)
        texts = {name: column_of(batch, name) for name in self.texts}
        rows = text_rows(texts, longest_segment())
        return with_columns(without_faults(batch, texts), {**self.columns(rows), self.errors: rows.errors})

    @abstractmethod
    def columns(self, rows: TextRows) -> Mapping[str, NewColumn]:
        """New columns for rows of `texts`; rows with a fault have no value."""

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Columns of texts that are read."""

    @property
    def errors(self) -> str:
        """Column of the faults of rows."""
        return f"{self.out}_error"

    @abstractmethod
    def card(self) -> Card | WordTagCard | None:
        """The card of the model that answers, if there is one; InputError for unknown models and pairs."""

    def cards(self) -> Mapping[str, str]:
        """Digest of the card of the model by its id; InputError for unknown models and pairs, before any row is read."""
        card = self.card()
        if card is None:
            return {}
        return {card.id: hashlib.sha256(json.dumps(asdict(card), sort_keys=True, default=str).encode()).hexdigest()}

    @property
    def engine(self) -> Engine:
        """The engine of this process."""
        return engine_of(self.resources, self.models, self.profile, self.threads)

    def language_pair(self) -> LanguagePair:
        """The pair of the option, or that of the model."""
        if self.pair is not None:
            return LanguagePair.parse(self.pair)
        if self.model is None:
            raise InputError("invalid-request", "name a model, or a language pair such as ro-en", ("pair",))
        of_model = next((entry.scope for entry in self.engine.registry.entries if entry.id == self.model), None)
        if of_model is None:
            raise InputError("unknown-model", f"there is no model {self.model}", ("model",))
        if of_model == ANY_PAIR:
            raise InputError("invalid-request", f"{self.model} is for any pair; name one, such as ro-en", ("pair",))
        return LanguagePair.parse(of_model)


def usual_columns(names: Sequence[str]) -> Mapping[str, str]:
    """Columns by role, source and translation among them, of a table with usual names; of several the first."""
    return {role: name for role, name in zip(reversed(heading_roles(names)[0]), reversed(names), strict=True) if role is not None}


@dataclass(frozen=True)
class PairColumns(TextColumns):
    """Columns of pairs of a source and a translation, which is in the column `mt`."""

    mt: str = "mt"

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns of source and translation."""
        return self.src, self.mt

    def of_table(self, names: Sequence[str], roles: Sequence[str]) -> Self:
        """Columns for a table with other usual names of the texts of `roles`."""
        usual, columns = usual_columns(names), {SOURCE: self.src, TRANSLATION: self.mt}
        texts = {role: usual.get(role, name) if role in roles and name not in names else name for role, name in columns.items()}
        return replace(self, src=texts[SOURCE], mt=texts[TRANSLATION])

    def segments(self, rows: TextRows) -> Iterator[tuple[Any, Segments]]:
        """Segments without faults in parts, with the numbers of their rows."""
        pair = self.language_pair()
        sources, translations = rows.columns
        for begin in range(0, len(rows.numbers), CHUNK):
            part = slice(begin, begin + CHUNK)
            yield rows.numbers[part], Segments(pair, sources[part], translations[part])
