"""Judgements of users, on SQLite and on PostgreSQL."""

from sqlalchemy import Engine as Database

from app.operations.feedback import FeedbackItem, FeedbackKeeper
from app.store import FeedbackStore
from app.store.feedback import is_held_back


def test_feedback_is_kept_whole_and_counted(database: Database) -> None:
    store = FeedbackStore(database)
    odd = {"source": "ă\ud800", "translation": "x", "post_edit": "y", "token_log_probs": [-0.1], "tokens": ["▁x"]}
    items = [FeedbackItem("ro-en", "hter", 0.5, "m", "tests", odd)]
    items += [FeedbackItem("ro-en", "da", i / 10, None, "", {"source": f"casa {i}", "translation": "z"}) for i in range(40)]
    ids = store.add(items)
    assert len(set(ids)) == 41
    [(item, held)] = list(store.read("ro-en", "hter"))
    assert (item, held) == (items[0], is_held_back(odd["source"]))  # type: ignore[arg-type]
    read = [item for item, _ in store.read("ro-en", "da")]
    assert sorted(item.value for item in read) == sorted(item.value for item in items[1:])
    counts = {each.label: each for each in store.counts()}
    assert (counts["da"].segments, counts["hter"].segments) == (40, 1)
    assert counts["da"].held_back == sum(is_held_back(f"casa {i}") for i in range(40))
    assert store.counts(since=2**40) == []
    assert list(store.read("et-en", "da")) == []
    keeper: FeedbackKeeper = store
    assert list(keeper.judgements("ro-en", "hter")) == [(0.5, is_held_back(odd["source"]), odd)]  # type: ignore[arg-type]
