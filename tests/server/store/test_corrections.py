"""Corrections of a job's translations, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine as Database

from app.errors import InputError
from app.operations.judgements.corrections import Change, CorrectionConflictError
from app.operations.judgements.feedback import FeedbackItem
from app.operations.judgements.records import FeedbackFilter
from app.operations.operation import Plan
from app.running.rates import QuotaError
from app.server.store import Actor, AuditFilter, AuditLog, CorrectionStore, FeedbackStore, JobOrigin, JobQueue, JobStore, UsageStore
from tests.server.store.test_usage import kept

ROWS = [{"source": f"s{number}", "translation": f"t{number}"} for number in range(5)]


@pytest.fixture
def job(store: JobStore, queue: JobQueue) -> str:
    """A job of five segments in two chunks that has succeeded; Ana's."""
    id = store.create(Plan("quality", {}, [(3, {}), (2, {})]), JobOrigin("Ana")).id
    queue.take("w")
    queue.save_chunk(id, "w", 0, {"rows": ROWS[:3]})
    queue.save_chunk(id, "w", 1, {"rows": ROWS[3:]})
    queue.succeed(id, "w", {})
    return id


@pytest.fixture
def corrections(database: Database) -> CorrectionStore:
    return CorrectionStore(database)


def judgement(text: str) -> FeedbackItem:
    content = {"source": "s", "translation": "t", "post_edit": text}
    return FeedbackItem("ro-en", "hter", 0.5, None, "correction", content)


def test_one_row_of_a_result_in_chunks(job: str, store: JobStore) -> None:
    assert [store.row(job, place) for place in range(6)] == [*ROWS, None]
    assert store.row("0" * 32, 0) is None


def test_corrections_are_kept_in_order_and_paged(job: str, corrections: CorrectionStore) -> None:
    assert (corrections.page(job, 10), corrections.version(job)) == ([], 0)
    for segment in (4, 1, 3):
        corrections.change(job, Change(segment, f"better {segment}", 0, "Bo"))
    assert [each.segment for each in corrections.all(job)] == [1, 3, 4]
    assert [each.segment for each in corrections.page(job, 2)] == [1, 3]
    assert [each.text for each in corrections.page(job, 2, 3)] == ["better 4"]
    assert corrections.page("0" * 32, 10) == []
    assert corrections.version(job) == 3


def test_an_assessment_stands_with_its_text_and_counts_as_stored(job: str, store: JobStore, corrections: CorrectionStore) -> None:
    findings = {"score": 0.25, "warnings": [{"code": "numbers", "source": ["45"], "translation": ["54"]}]}
    assert corrections.change(job, Change(1, "one", 0, assessment=findings)).assessment == findings
    assert [each.assessment for each in corrections.all(job)] == [findings]
    assert corrections.change(job, Change(1, "two", 1)).assessment is None


def test_a_change_replaces_what_it_is_based_on(job: str, corrections: CorrectionStore) -> None:
    first = corrections.change(job, Change(1, "one", 0, "Ana"))
    second = corrections.change(job, Change(1, "two", 1, "Bo"))
    assert (first.revision, second.revision, second.author, second.created) == (1, 2, "Bo", first.created)
    for stale in (0, 1, 3):
        with pytest.raises(CorrectionConflictError, match="revision 2") as conflict:
            corrections.change(job, Change(1, "three", stale))
        assert (conflict.value.current.text, conflict.value.current.author) == ("two", "Bo")
    assert [each.text for each in corrections.page(job, 9)] == ["two"]
    with pytest.raises(InputError, match="send revision 0"):
        corrections.change(job, Change(2, "x", 1))


def test_what_was_taken_back_leaves_its_revision(job: str, corrections: CorrectionStore) -> None:
    corrections.change(job, Change(1, "one", 0))
    for stale in (2, 5):
        with pytest.raises(CorrectionConflictError):
            corrections.change(job, Change(1, None, stale))
    assert corrections.change(job, Change(1, None, 1)).revision == 2
    assert (corrections.page(job, 9), corrections.version(job)) == ([], 2)
    # Whoever saw the first is told that it is gone; whoever saw nothing loses nothing.
    with pytest.raises(CorrectionConflictError) as conflict:
        corrections.change(job, Change(1, "later", 1))
    assert conflict.value.current.text is None
    assert corrections.change(job, Change(1, "new", 0)).revision == 3
    for nothing in (2, 5):
        with pytest.raises(InputError, match="no correction to undo"):
            corrections.change(job, Change(nothing, None, 1))


def test_of_those_who_come_at_once_one_is_first(job: str, corrections: CorrectionStore) -> None:
    corrections.change(job, Change(1, "start", 0))

    def write(number: int) -> bool:
        try:
            corrections.change(job, Change(1, f"text {number}", 1))
        except CorrectionConflictError:
            return False
        return True

    def begin(number: int) -> bool:
        try:
            corrections.change(job, Change(2, f"text {number}", 0))
        except CorrectionConflictError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(write, range(6))) == 1
        assert sum(pool.map(begin, range(6))) == 1
    assert [each.revision for each in corrections.page(job, 9)] == [2, 1]


def test_a_correction_is_one_judgement_of_the_jobs_owner(job: str, corrections: CorrectionStore, database: Database) -> None:
    feedback = FeedbackStore(database)
    first = corrections.change(job, Change(1, "one", 0, judgement=judgement("one")))
    second = corrections.change(job, Change(1, "two", 1, judgement=judgement("two")))
    assert first.feedback == second.feedback is not None
    [only] = feedback.page(FeedbackFilter(), 9)
    assert (only.item.content["post_edit"], only.owner) == ("two", "Ana")
    # Somebody deleted it: the next revision is a new one.
    feedback.delete(only.id)
    third = corrections.change(job, Change(1, "three", 2, judgement=judgement("three")))
    assert third.feedback not in (None, only.id)
    assert corrections.change(job, Change(1, None, 3)).feedback is None
    assert feedback.page(FeedbackFilter(), 9) == []


def test_only_what_has_a_result_is_corrected(job: str, store: JobStore, queue: JobQueue, corrections: CorrectionStore) -> None:
    waiting = store.create(Plan("quality", {}, [(1, {})])).id
    with pytest.raises(InputError, match="waits still"):
        corrections.change(waiting, Change(1, "x", 0))
    queue.take("w")
    with pytest.raises(InputError, match="runs still"):
        corrections.change(waiting, Change(1, "x", 0))
    queue.stop(waiting, "w")
    with pytest.raises(InputError, match="was cancelled"):
        corrections.change(waiting, Change(1, "x", 0))
    corrections.change(job, Change(1, "x", 0))
    store.remove(job)
    with pytest.raises(InputError, match="no job"):
        corrections.change(job, Change(2, "x", 0))
    assert corrections.page(job, 9) == []


def test_corrections_count_for_the_owner(job: str, corrections: CorrectionStore, database: Database, store: JobStore) -> None:
    usage = UsageStore(database)
    before = usage.stored("Ana")
    corrections.change(job, Change(1, "ăă", 0))
    assert usage.stored("Ana") == before + 4 == kept(database)["Ana"]
    with pytest.raises(QuotaError):
        corrections.change(job, Change(1, "ăăă", 1), most_bytes=before + 5)
    assert [each.text for each in corrections.page(job, 9)] == ["ăă"]
    corrections.change(job, Change(1, "a", 1), most_bytes=before)
    corrections.change(job, Change(1, None, 2))
    assert usage.stored("Ana") == before == kept(database)["Ana"]


def test_who_changed_what_is_recorded_without_texts(job: str, corrections: CorrectionStore, database: Database) -> None:
    corrections.change(job, Change(1, "secret", 0), Actor("key"))
    corrections.change(job, Change(1, None, 1), Actor("key"))
    entries = AuditLog(database).list(AuditFilter(thing="segment"))
    told = [(entry.action, entry.id, entry.detail["segment"], entry.detail["revision"]) for entry in entries]
    assert told == [("reverted", job, 1, 2), ("corrected", job, 1, 1)]
