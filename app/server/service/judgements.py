"""Access of one caller to stored feedback: see, correct, export and delete own feedback, or all feedback for administrators."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from app.operations.judgements.feedback import FeedbackItem
from app.operations.judgements.records import (
    CorrectionRequest,
    FeedbackFilter,
    FeedbackPage,
    KeptFeedback,
    KeptJudgement,
    correction,
    evidence,
    feedback_page,
    feedback_record,
    kept_feedback,
    no_judgement,
)
from app.predictors import Label
from app.registry.models import ModelRegistry
from app.server.jobs import Formulas, rows_stream
from app.server.service.auditing import Auditing, actor_of
from app.server.service.authentication import Caller
from app.server.store import FeedbackStore, FeedbackUses

__all__ = ["EXPORTS", "JudgementAccess"]

EXPORTS: Final = {"jsonl": "application/x-ndjson", "tsv": "text/tab-separated-values; charset=utf-8"}
COLUMNS: Final = (
    "id", "created", "pair", "label", "value", "held_back", "model", "origin", "owner", "source", "translation", "post_edit",
    "token_log_probs", "tokens",
)  # fmt: skip
# Judgements that are fetched at once for an export: between two fetches the database is free.
PAGE_SIZE: Final = 500


class JudgementAccess:
    """Feedback as one caller sees it, without other owners' feedback and without pairs that the key excludes."""

    def __init__(
        self,
        caller: Caller,
        store: FeedbackStore,
        uses: FeedbackUses,
        registry: ModelRegistry,
        audit: Auditing,
        longest: int,
        make_sure: Callable[[], None],
    ) -> None:
        """`store` holds what the caller may see, `registry` all models; `longest` is the most characters of a text.

        Changes, and views of others' feedback, are recorded in `audit`; `make_sure` erases deleted texts.
        """
        caller.require("feedback")
        self._audit = audit
        self._caller = caller
        self._store = store
        self._uses = uses
        self._registry = registry
        self._longest = longest
        self._make_sure = make_sure

    def page(self, wanted: FeedbackFilter, limit: int, after: str | None) -> FeedbackPage:
        """Judgements, the newest first."""
        last = None if after is None else self._get(after)
        self._note_export()
        return feedback_page(self._store.page(self._visible(wanted), limit + 1, last), limit)

    def one(self, id: str) -> KeptFeedback:
        """One judgement with the models that have learnt from it."""
        judgement = self._get(id)
        self._audit.read(self._caller, "feedback", id, judgement.owner)
        return kept_feedback(judgement, self._used_by(id))

    def work_of(self, id: str, request: CorrectionRequest) -> int:
        """The work of computing the edit rate of a post-edit, in pairs of characters; InputError for an unknown id."""
        return len(str(self._get(id).item.content.get("translation") or "")) * len(request.post_edit or "")

    def correct(self, id: str, request: CorrectionRequest) -> KeptFeedback:
        """Put another value, or post-edit, in its place; the models that are named have learnt from the one before."""
        # Computed before anything is held in the database.
        corrected_item = correction(request, self._longest, self._label)(self._get(id))
        judgement = self._store.changed_by(actor_of(self._caller), self._caller.still_open).correct(
            id, lambda before: corrected_item
        )
        self._audit.record(self._caller, "corrected", "feedback", id)
        return kept_feedback(judgement, self._used_by(id))

    def delete(self, id: str) -> KeptFeedback:
        """Delete a judgement; the answer names the models that learnt from it."""
        self._get(id)
        model_ids = self._used_by(id)
        judgement = self._store.delete(id)
        self._make_sure()
        self._audit.record(self._caller, "deleted", "feedback", id)
        return kept_feedback(judgement, model_ids)

    def export(self, wanted: FeedbackFilter, form: str, formulas: Formulas = "escape") -> Iterator[bytes]:
        """Judgements that match the filter, the newest first, one per line, with side information."""
        self._note_export()
        rows: Iterator[dict[str, Any]] = (
            {**feedback_record(judgement), **evidence(judgement)} for judgement in self._judgements(self._visible(wanted))
        )
        if form == "tsv":
            # An empty cell means null.
            rows = ({name: value for name, value in row.items() if value is not None} for row in rows)
        return (line.encode() for line in rows_stream(rows, form, formulas, COLUMNS))

    def _note_export(self) -> None:
        """Record that an administrator is about to see the feedback of all owners."""
        if self._caller.is_admin:
            self._audit.read(self._caller, "feedback", "", "everybody")

    def _judgements(self, wanted: FeedbackFilter) -> Iterator[KeptJudgement]:
        after: KeptJudgement | None = None
        while batch := self._store.page(wanted, PAGE_SIZE, after):
            yield from batch
            after = batch[-1]

    def _visible(self, wanted: FeedbackFilter) -> FeedbackFilter:
        return replace(wanted, pairs=self._caller.answering_pairs)

    def _label(self, item: FeedbackItem) -> Label:
        return self._registry.label(item.pair, item.label, item.model)

    def _get(self, id: str) -> KeptJudgement:
        judgement = self._store.get(id)
        visible_pairs = self._caller.answering_pairs
        if visible_pairs is not None and judgement.item.pair not in visible_pairs:
            raise no_judgement()
        return judgement

    def _used_by(self, id: str) -> list[str]:
        return self._registry.with_descendants(self._uses.models(id))
