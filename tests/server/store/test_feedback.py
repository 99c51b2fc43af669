"""Judgements of users, on SQLite and on PostgreSQL."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import text

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackItem, FeedbackKeeper
from app.operations.judgements.records import FeedbackFilter, feedback_page
from app.operations.operation import Judgement
from app.server.store import FeedbackStore, FeedbackUses
from app.server.store.feedback import is_held_back

ALL = FeedbackFilter()


def item(number: int, **changes: object) -> FeedbackItem:
    made = FeedbackItem("ro-en", "da", number / 10, None, "", {"source": f"casa {number}", "translation": "z"})
    return replace(made, **changes)  # type: ignore[arg-type]


def test_feedback_is_kept_whole_and_counted(database: Database) -> None:
    store = FeedbackStore(database)
    odd = {"source": "ă\ud800", "translation": "x", "post_edit": "y", "token_log_probs": [-0.1], "tokens": ["▁x"]}
    items = [FeedbackItem("ro-en", "hter", 0.5, "m", "tests", odd), *map(item, range(40))]
    ids = store.add(items)
    assert len(set(ids)) == 41
    assert list(store.judgements("ro-en", "hter")) == [Judgement(ids[0], 0.5, is_held_back(str(odd["source"])), odd, "m")]
    assert store.get(ids[0]).item == items[0]
    assert sorted(each.value for each in store.judgements("ro-en", "da")) == sorted(each.value for each in items[1:])
    counts = {each.label: each for each in store.counts()}
    assert (counts["da"].segments, counts["hter"].segments) == (40, 1)
    assert counts["da"].held_back == sum(is_held_back(f"casa {i}") for i in range(40))
    assert store.counts(since=2**40) == []
    assert list(store.judgements("et-en", "da")) == []
    keeper: FeedbackKeeper = store
    assert len(keeper.add([item(1)])) == 1


def test_pages_hold_everything_once_the_newest_first(database: Database) -> None:
    store = FeedbackStore(database)
    # What comes together has one time, so that ids alone tell it apart.
    ids = [id for batch in range(3) for id in store.add([item(batch * 10 + n, origin=f"o{batch}") for n in range(7)])]
    pages, after = [], None
    while page := store.page(ALL, 4, after):
        pages.append(page)
        after = page[-1]
    listed = [kept.id for page in pages for kept in page]
    assert sorted(listed) == sorted(ids) and [len(page) for page in pages] == [4, 4, 4, 4, 4, 1]
    assert set(listed[:7]) == set(ids[14:]) and set(listed[14:]) == set(ids[:7])
    # A page goes on behind a judgement that was deleted meanwhile.
    store.delete(listed[6])
    assert [kept.id for kept in store.page(ALL, 100, replace(pages[1][2]))] == listed[7:]


def test_judgements_are_chosen(database: Database) -> None:
    store = FeedbackStore(database)
    ids = store.add(
        [item(0), item(1, pair="et-en"), item(2, label="effort"), item(3, model="m"), item(4, origin="tool"), item(5, value=1e308)]
    )
    created = store.get(ids[0]).created
    for wanted, numbers in (
        (FeedbackFilter(pair="et-en"), {1}),
        (FeedbackFilter(label="effort"), {2}),
        (FeedbackFilter(model="m"), {3}),
        (FeedbackFilter(origin="tool"), {4}),
        (FeedbackFilter(pairs=frozenset({"et-en", "xx-yy"})), {1}),
        (FeedbackFilter(pair="ro-en", pairs=frozenset({"et-en"})), set()),
        (FeedbackFilter(since=created), set(range(6))),
        (FeedbackFilter(since=created + 1), set()),
        (FeedbackFilter(since=-6e10), set(range(6))),
    ):
        assert {ids.index(kept.id) for kept in store.page(wanted, 100)} == numbers, wanted


def test_a_judgement_is_corrected_and_deleted_by_its_owner(database: Database) -> None:
    whole = FeedbackStore(database)
    ana, bo = whole.of("Ana"), whole.of("Bo")
    [id] = ana.add([item(1)])
    for other in (lambda: bo.get(id), lambda: bo.delete(id), lambda: bo.correct(id, lambda kept: kept.item)):
        with pytest.raises(InputError, match="no judgement"):
            other()
    corrected = ana.correct(id, lambda kept: replace(kept.item, value=0.25, content={**kept.item.content, "post_edit": "ă"}))
    assert corrected == ana.get(id) == whole.get(id) and (corrected.item.value, corrected.owner) == (0.25, "Ana")

    def refuse(kept: object) -> FeedbackItem:
        raise InputError("invalid-request", "no")

    with pytest.raises(InputError):
        ana.correct(id, refuse)
    assert ana.get(id) == corrected
    uses = FeedbackUses(database)
    uses.note("m", [id])
    assert whole.delete(id) == corrected
    assert uses.models(id) == [] and ana.page(ALL, 10) == []
    with pytest.raises(InputError):
        ana.delete(id)


def test_models_are_noted_with_what_they_learn_from(database: Database) -> None:
    uses = FeedbackUses(database)
    ids = [f"{number:032x}" for number in range(12_001)]
    uses.note("a", ids)
    uses.note("b", ids[:1])
    assert uses.models(ids[0]) == ["a", "b"] and uses.models(ids[-1]) == ["a"]
    # Whoever goes on after a worker was killed writes the same once more.
    uses.note("a", ids[:2])
    assert uses.models(ids[0]) == ["a", "b"] and uses.models(ids[-1]) == []
    uses.note("c", [])


def test_what_cannot_be_read_is_there_all_the_same(database: Database) -> None:
    store = FeedbackStore(database)
    [good, bad] = store.add([item(1), item(2)])
    with database.begin() as connection:
        connection.execute(text("UPDATE feedback SET content = :raw WHERE id = :id"), {"raw": b"\x00rubbish", "id": bad})
    assert {each.id: each.content is None for each in store.judgements("ro-en", "da")} == {good: False, bad: True}
    assert store.get(bad).item.content == {}
    assert len(store.page(ALL, 10)) == 2
    store.delete(bad)


def test_a_page_ends_early_where_texts_are_long(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.store.feedback.PAGE_CHARACTERS", 1000)
    monkeypatch.setattr("app.operations.judgements.records.PAGE_CHARACTERS", 1000)
    store = FeedbackStore(database)
    ids = store.add([FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "s" * 700, "translation": ""}) for _ in range(7)])
    found, after = [], None
    while True:
        page = feedback_page(store.page(FeedbackFilter(), 6, after), 5)
        assert len(page["feedback"]) == 1
        found.append(page["feedback"][0]["id"])
        if page["next"] is None:
            break
        after = store.get(page["next"])
    assert sorted(found) == sorted(ids)
