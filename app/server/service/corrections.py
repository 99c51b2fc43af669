"""Access of one caller to the corrections of a job: a caller who sees a job may correct its translations."""

from collections.abc import Callable
from typing import Final

from app.errors import InputError
from app.operations.judgements.corrections import (
    Change,
    CorrectionAnswer,
    CorrectionPage,
    CorrectionText,
    checked_text,
    correction_answer,
    corrections_page,
    no_segment,
    not_correctable,
)
from app.operations.judgements.feedback import FeedbackItem, edit_rate
from app.operations.operation import Json
from app.server.service.auditing import actor_of
from app.server.service.authentication import Caller
from app.server.store import CorrectionStore, JobStore, JobView

__all__ = ["Corrections", "check_kind"]

ORIGIN: Final = "correction"
# Jobs with a row of source and translation for each segment.
KINDS: Final = ("quality", "words")


class Corrections:
    """The corrections of one job as a caller sees them, who may see the job."""

    def __init__(
        self, caller: Caller, job: JobView, jobs: JobStore, longest: int, most_bytes: int | None, make_sure: Callable[[], None]
    ) -> None:
        """`longest` is the most characters of a text, `most_bytes` what the job's owner may keep; `make_sure` sees that what was
        deleted is gone.
        """
        self._caller = caller
        self._job = job
        self._jobs = jobs
        self._store = CorrectionStore(jobs.database)
        self._longest = longest
        self._most_bytes = most_bytes
        self._make_sure = make_sure

    def page(self, limit: int, after: int) -> CorrectionPage:
        """Corrections in force, in the order of segments."""
        self._job.check_kept()
        return corrections_page(self._store.page(self._job.id, limit + 1, after), limit)

    def work_of(self, segment: int, request: CorrectionText) -> int:
        """The work of computing the edit rate, in pairs of characters; InputError if the segment cannot be corrected."""
        return len(self._row(segment)["translation"]) * len(request.text)

    def put(self, segment: int, request: CorrectionText, assess: Callable[[JobView, str, str], Json | None]) -> CorrectionAnswer:
        """Correct a translation, or change the last correction; the correction becomes feedback if the key allows it.

        `assess` gives the findings about a text by the job, from the source and the text.
        """
        text, row = checked_text(request.text, self._longest), self._row(segment)
        judgement, assessment = self._judgement(segment, row, text), assess(self._job, row["source"], text)
        author = self._caller.name or " ".join(request.author.split())
        return self._change(Change(segment, text, request.revision, author, self._caller.owner, judgement, assessment))

    def take_back(self, segment: int, revision: int) -> CorrectionAnswer:
        """Undo a correction, and delete its judgement."""
        answer = self._change(Change(segment, None, revision, self._caller.name, self._caller.owner))
        self._make_sure()
        return answer

    def _change(self, change: Change) -> CorrectionAnswer:
        actor, still_open = actor_of(self._caller), self._caller.still_open
        return correction_answer(self._store.change(self._job.id, change, actor, self._most_bytes, still_open))

    def _row(self, segment: int) -> Json:
        """A row of the result with a source and its translation."""
        job = self._job
        job.check_kept()
        refusal = not_correctable(job.state)
        if refusal is not None:
            raise refusal
        check_kind(job)
        row = self._jobs.row(job.id, segment - 1)
        if row is None:
            raise no_segment(job.total)
        return row  # type: ignore[no-any-return]

    def _judgement(self, segment: int, row: Json, text: str) -> FeedbackItem | None:
        """The correction as a post-edit; None if the key does not allow feedback."""
        if "feedback" not in self._caller.scopes and not self._caller.is_admin:
            return None
        params = self._job.params
        pair = f"{params['source_language']}-{params['target_language']}"
        content = {"source": row["source"], "translation": row["translation"], "post_edit": text}
        link = {"job": self._job.id, "segment": segment}
        value = edit_rate(row["translation"], text, self._longest)
        model = params.get("model") if "label" in params else None
        return FeedbackItem(pair, "hter", value, model, ORIGIN, {**content, **link})


def check_kind(job: JobView) -> None:
    """InputError if the rows of a job's result are no sources with translations."""
    if job.kind not in KINDS:
        detail = f"only {' and '.join(KINDS)} jobs have translations in their results; this one is of the kind {job.kind}"
        raise InputError("invalid-request", detail, ("id",))
