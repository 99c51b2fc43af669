"""Counting: limits hold whoever asks at once, what is refused leaves nothing, and what is kept is counted as it is."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import text

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackItem
from app.operations.operation import Plan
from app.running.rates import Amount, Charge, QuotaError, Room, parse_rates
from app.server.store import FeedbackStore, JobAdmission, JobOrigin, JobQueue, JobStore, UsageStore, open_database
from app.server.store.queue import Batch, LeaseLostError
from app.server.store.usage.tally import Tally, TallyKey, Totals

# Saturday, the 29th of February 2020, 23:59:30 UTC.
MOMENT = 1583020770.0


def charge(segments: int, rates: str = "", key: str = "k", characters: int = 0, owner_rates: str = "") -> Charge:
    amount = Amount(segments, characters)
    return Charge("Ana", key, amount, 1, 0, parse_rates(rates, "rate"), parse_rates(owner_rates, "rate"))


def used(store: UsageStore, period: str = "day", keys: bool = False) -> list[tuple[str, int, int, int]]:
    rows = store.used(period, 0.0, "Ana", keys)  # type: ignore[arg-type]
    return [(row.key, row.segments, row.characters, row.requests) for row in rows]


def test_a_request_is_counted_in_every_window_by_key_and_by_owner(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    store.charge(charge(3, key="a", characters=10))
    store.charge(charge(4, key="b"))
    for period in ("day", "month"):
        assert used(store, period) == [("", 7, 10, 2)]
        assert used(store, period, keys=True) == [("a", 3, 10, 1), ("b", 4, 0, 1)]
    assert used(store, "minute") == []


def test_what_is_beyond_a_limit_is_refused_and_not_counted(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    rates = "10 segments/minute, 100 characters/day"
    _, quotas = store.charge(charge(10, rates, characters=40))
    assert [(quota.rate.name, quota.remainder, quota.seconds, quota.length) for quota in quotas] == [
        ("segments-per-minute", 0, 30, 60), ("characters-per-day", 60, 30, 86400)
    ]  # fmt: skip
    with pytest.raises(QuotaError) as refused:
        store.charge(charge(1, rates))
    error = refused.value
    assert (error.code, error.retry_after, error.facts["violated-policies"]) == ("quota-exceeded", 30, ["segments-per-minute"])
    assert (error.facts["limit"], error.facts["used"], error.facts["requested"]) == (10, 10, 1)
    assert error.facts["resets"] == "2020-03-01T00:00:00+00:00" and "10 of 10 in this minute" in str(error)
    assert [quota.used for quota in error.quotas] == [10, 40]
    # Nothing of a request without segments is too much.
    store.charge(charge(0, rates, characters=60))
    assert used(store) == [("", 10, 100, 2)]
    with pytest.raises(QuotaError, match="send less at once") as hopeless:
        store.charge(charge(11, "10 segments/month"))
    assert hopeless.value.retry_after is None
    assert used(store) == used(store, "month") == [("", 10, 100, 2)]


@pytest.mark.parametrize(("window", "begins"), [("minute", 30), ("day", 30), ("month", 30), ("month", 31 * 86400 + 30)])
def test_windows_are_those_of_the_calendar(database: Database, window: str, begins: int) -> None:
    now = [MOMENT + begins - 30]
    store = UsageStore(database, lambda: now[0])
    store.charge(charge(5, f"5 segments/{window}"))
    with pytest.raises(QuotaError) as refused:
        store.charge(charge(5, f"5 segments/{window}"))
    after = refused.value.retry_after
    assert after is not None
    now[0] += after - 1
    with pytest.raises(QuotaError):
        store.charge(charge(5, f"5 segments/{window}"))
    now[0] += 1
    store.charge(charge(5, f"5 segments/{window}"))


def test_rates_of_an_owner_hold_for_all_keys_together(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    store.charge(charge(6, key="a", owner_rates="10 segments/minute"))
    with pytest.raises(QuotaError):
        store.charge(charge(6, key="b", owner_rates="10 segments/minute"))
    store.charge(charge(6, key="c", rates="10 segments/minute"))
    assert used(store) == [("", 12, 0, 2)]


def test_what_is_taken_back_may_be_asked_for_again(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    asked = charge(10, "10 segments/day")
    for _ in range(3):
        moment, _ = store.charge(asked)
        store.refund(asked, moment)
    assert used(store) == [("", 0, 0, 0)]


def test_minutes_that_are_long_over_go(database: Database) -> None:
    now = [MOMENT]
    store = UsageStore(database, lambda: now[0])
    for _ in range(80):
        store.charge(charge(1, "5 segments/minute"))
        now[0] += 60
    assert len(store.used("minute", 0.0, "Ana", keys=True)) <= 62
    assert sum(row.segments for row in store.used("day", 0.0, "Ana")) == 80


def test_the_clock_is_the_databases(database: Database) -> None:
    store = UsageStore(database)
    moment, _ = store.charge(charge(1))
    with database.connect() as connection:
        now = "strftime('%s', 'now')" if database.dialect.name == "sqlite" else "extract(epoch from clock_timestamp())"
        assert abs(moment - float(connection.execute(text(f"SELECT {now}")).scalar_one())) < 30


def test_no_more_than_the_limit_gets_through_whoever_asks_at_once(database: Database) -> None:
    """Several servers, each with threads, keys of one owner, rates of both: what was let through is what was counted."""
    url = database.url.render_as_string(hide_password=False)
    databases = [open_database(url) for _ in range(3)]
    servers = [UsageStore(opened, lambda: MOMENT) for opened in databases]
    limits = {"a": 150, "b": 90}
    passed: Counter[str] = Counter()
    lock = threading.Lock()

    def ask(number: int) -> None:
        key, segments, server = "ab"[number % 2], 1 + number % 7, servers[number % 3]
        asked = charge(segments, f"{limits[key]} segments/minute", key, 1, "200 segments/day")
        try:
            moment, _ = server.charge(asked)
        except QuotaError:
            return
        if number % 5 == 0:
            server.refund(asked, moment)
            return
        with lock:
            passed[key] += segments
            passed["requests"] += 1

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(ask, range(240)))
    # Whoever comes last may have what was taken back.
    for number in (0, 1):
        for _ in range(240):
            key = "ab"[number]
            try:
                servers[0].charge(charge(1, f"{limits[key]} segments/minute", key, 1, "200 segments/day"))
            except QuotaError:
                break
            passed[key] += 1
            passed["requests"] += 1
    assert passed["a"] <= 150 and passed["b"] <= 90 and passed["a"] + passed["b"] == 200
    assert used(servers[0]) == [("", 200, passed["requests"], passed["requests"])]
    assert {row[0]: row[1] for row in used(servers[1], keys=True)} == {key: passed[key] for key in "ab"}
    for opened in databases:
        opened.dispose()


@pytest.mark.parametrize("wrong", ["10", "10 segments", "0 segments/day", "-1 segments/day", "1e3 segments/day", "10 words/day",
                                   "10 segments/hour", "10  segments/day", "٣ segments/day", "10 segments/day;", ",",
                                   "1 segments/day, 2 segments/day"])  # fmt: skip
def test_what_is_no_rate_is_refused(wrong: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_rates(wrong, "--rate")
    assert refused.value.where == ("--rate",)


def admitting(database: Database, room: Room, counted: Callable[[], Charge | None] = lambda: None) -> JobAdmission:
    return JobAdmission(UsageStore(database, lambda: MOMENT), "Ana", room, counted)


def plan(rows: int = 1) -> Plan:
    return Plan("quality", {"a": 1}, [(1, {"sources": [str(k) * 50]}) for k in range(rows)], {"file": BytesIO(b"x" * 1000)})


def test_a_job_is_counted_with_it_and_goes_with_it(database: Database, store: JobStore) -> None:
    usage = UsageStore(database, lambda: MOMENT)
    counted = Charge("Ana", "k", Amount(6, 60), jobs=1, key_rates=parse_rates("10 segments/day", "rate"))
    origin = JobOrigin("Ana", "once", "digest")
    first = admitting(database, Room(), lambda: counted)
    job = store.create(plan(), origin, first)
    assert [quota.remainder for quota in first.quotas] == [4]
    # Another server that did not see it yet makes no second one, and counts nothing.
    assert store.create(plan(), origin, admitting(database, Room(), lambda: counted)).id == job.id
    with pytest.raises(QuotaError):
        store.create(plan(), JobOrigin("Ana"), admitting(database, Room(), lambda: counted))
    assert [row.id for row in store.list()] == [job.id]
    assert [(row.segments, row.jobs, row.requests) for row in usage.used("day", 0.0, "Ana")] == [(6, 1, 0)]


def test_jobs_at_once_and_the_queue_have_bounds(database: Database, store: JobStore, queue: JobQueue) -> None:
    usage, room = UsageStore(database), Room(jobs_at_once=2, queued=3)
    jobs = [store.create(plan(), JobOrigin("Ana"), admitting(database, room)) for _ in range(2)]
    for ask in (lambda: store.create(plan(), JobOrigin("Ana"), admitting(database, room)), lambda: usage.check_room("Ana", room)):
        with pytest.raises(QuotaError) as refused:
            ask()
        assert (refused.value.code, refused.value.facts["limit"], refused.value.facts["used"]) == ("too-many-jobs", 2, 2)
    # One that runs counts among the owner's, and does not wait any more.
    taken = queue.take("w")
    assert taken is not None and usage.active("Ana") == 2
    store.create(plan(), JobOrigin("Bo"), JobAdmission(usage, "Bo", room, lambda: None))
    store.create(plan(), JobOrigin("Bo"), JobAdmission(usage, "Bo", room, lambda: None))
    with pytest.raises(QuotaError) as full:
        store.create(plan(), JobOrigin("Cy"), JobAdmission(usage, "Cy", room, lambda: None))
    assert full.value.code == "queue-full"
    store.cancel(jobs[1].id)
    store.create(plan(), JobOrigin("Cy"), JobAdmission(usage, "Cy", room, lambda: None))
    queue.fail(taken.id, "w", {})
    with pytest.raises(QuotaError):
        store.retry(taken.id, admitting(database, room))
    assert len(store.list()) == 5 and usage.active("Ana") == 0


def test_owners_who_submit_at_once_get_no_more_than_their_jobs(database: Database) -> None:
    url = database.url.render_as_string(hide_password=False)
    databases = [open_database(url) for _ in range(3)]
    room = Room(jobs_at_once=4, queued=100)

    def submit(number: int) -> bool:
        opened = databases[number % 3]
        try:
            JobStore(opened).create(plan(), JobOrigin("Ana"), admitting(opened, room))
        except QuotaError:
            return False
        return True

    with ThreadPoolExecutor(9) as pool:
        assert sum(pool.map(submit, range(27))) == 4
    assert UsageStore(database).active("Ana") == 4
    for opened in databases:
        opened.dispose()


def kept(database: Database) -> dict[str, int]:
    """What every owner keeps, summed over everything there is."""
    sums = {
        "jobs": "SELECT owner, sum(length(params) + coalesce(length(summary), 0)) FROM jobs GROUP BY owner",
        "feedback": "SELECT owner, sum(length(content)) FROM feedback GROUP BY owner",
        **{
            table: f"SELECT owner, sum({size}) FROM {table} JOIN jobs ON job_id = jobs.id GROUP BY owner"
            for table, size in (
                ("chunks", "length(input) + coalesce(length(output), 0)"), ("job_files", "length(content)"),
                ("checkpoints", "length(content)"), ("publications", "length(content)"),
                ("corrections", "corrections.stored_bytes"),
            )
        },
    }  # fmt: skip
    totals: Counter[str] = Counter()
    with database.connect() as connection:
        for query in sums.values():
            for owner, size in connection.execute(text(query)):
                totals[owner] += int(size)
    return dict(totals)


@pytest.mark.parametrize("seed", range(3))
def test_what_an_owner_keeps_is_counted_as_it_is(database: Database, store: JobStore, queue: JobQueue, seed: int) -> None:
    usage, chance, numbers = UsageStore(database), random.Random(seed), iter(range(1000))
    owners = ("Ana", "Bo")

    def work() -> None:
        job = queue.take("w")
        if job is None:
            return
        for number in range(chance.randrange(3)):
            queue.advance(job.id, "w", None, Batch(f"{next(numbers)}", number, b"x" * chance.randrange(100)))
        for _ in range(chance.randrange(3)):
            queue.publish(job.id, "w", chance.choice(["curve", "other"]), "y" * chance.randrange(2000))
        while chance.random() < 0.8 and (chunk := queue.next_chunk(job.id)) is not None:
            queue.save_chunk(job.id, "w", chunk[0], {"rows": [chance.randrange(10**9)] * chance.randrange(50)})
        chance.choice(
            [lambda: queue.succeed(job.id, "w", {"s": chance.randrange(10**9)}), lambda: queue.fail(job.id, "w", {"detail": "no"}),
             lambda: queue.stop(job.id, "w"), lambda: queue.release(job.id, "w")]
        )()  # fmt: skip
        with pytest.raises(LeaseLostError):
            queue.save_chunk(job.id, "w", 99, {})

    def change() -> None:
        jobs = store.list()
        if not jobs:
            return
        job = chance.choice(jobs)
        if job.state in ("failed", "cancelled") and chance.random() < 0.6:
            store.retry(job.id)
        elif job.state in ("failed", "cancelled", "succeeded"):
            store.remove(job.id)
        elif chance.random() < 0.3:
            store.cancel(job.id)

    def judge() -> None:
        items = [FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a" * k, "translation": "b"}) for k in range(3)]
        FeedbackStore(database).of(chance.choice(owners)).add(items)

    for _ in range(60):
        create: Callable[[], object] = lambda: store.create(plan(chance.randrange(1, 4)), JobOrigin(chance.choice(owners)))  # noqa: E731
        chance.choice([create, work, work, change, judge])()
    totals = kept(database)
    assert totals and {owner: usage.stored(owner) for owner in owners} == {owner: totals.get(owner, 0) for owner in owners}


def test_an_owner_keeps_no_more_than_its_bytes(database: Database, store: JobStore) -> None:
    usage = UsageStore(database)
    first = store.create(plan(), JobOrigin("Ana"))
    room = Room(stored_bytes=2 * usage.stored("Ana"))
    store.create(plan(), JobOrigin("Ana"), admitting(database, room))
    for ask in (lambda: store.create(plan(), JobOrigin("Ana"), admitting(database, room)), lambda: usage.check_room("Ana", room)):
        with pytest.raises(QuotaError) as refused:
            ask()
        assert (refused.value.code, refused.value.retry_after) == ("storage-quota-exceeded", None)
    item = FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a", "translation": "b"})
    feedback = FeedbackStore(database).of("Ana", room.stored_bytes)
    with pytest.raises(QuotaError):
        feedback.add([item])
    assert feedback.counts() == []
    store.cancel(first.id)
    store.remove(first.id)
    assert len(feedback.add([item])) == 1


def test_what_no_rate_holds_is_written_a_moment_later_together(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    other = UsageStore(database, lambda: MOMENT)
    for _ in range(3):
        store.note(charge(3, characters=10))
    count = store.note(charge(5, key="b"))
    assert count is not None
    store.refund(charge(5, key="b"), count[0])
    assert used(store, keys=True) == [("b", 0, 0, 0), ("k", 9, 30, 3)]
    assert used(other) == used(other, "month") == [("", 9, 30, 3)]
    deadline = time.monotonic() + 10
    store.note(charge(1))
    while used(other) == [("", 9, 30, 3)] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert used(other) == [("", 10, 30, 4)]


def test_what_could_not_be_written_is_written_with_what_comes_next() -> None:
    written: list[Mapping[TallyKey, Totals]] = []

    def write(totals: Mapping[TallyKey, Totals]) -> None:
        if not tries:
            tries.append(1)
            raise InputError("storage-full", "there is no room")
        written.append(totals)

    tries: list[int] = []
    tally = Tally(write)
    tally.add(charge(2, characters=7), MOMENT)
    with pytest.raises(InputError):
        tally.flush()
    tally.add(charge(1, characters=1), MOMENT + 1)
    tally.add(charge(4, characters=4), MOMENT + 30)
    tally.flush()
    tally.flush()
    midnight = 1583020800
    assert written == [
        {
            ("Ana", "k", midnight - 60, (), ()): (Amount(3, 8), 2, MOMENT + 1),
            ("Ana", "k", midnight, (), ()): (Amount(4, 4), 1, MOMENT + 30),
        }
    ]


def test_threads_lose_nothing_of_a_tally(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: [store.note(charge(1)), store.flush() if k % 7 == 0 else None], range(400)))
    assert used(store) == [("", 400, 0, 400)]


def test_a_call_far_from_its_limit_waits_for_no_disk_and_is_counted(database: Database) -> None:
    """With 1,000 segments a minute, at most 5 are counted in memory after an exact count, and none beyond 500."""
    now = [MOMENT]
    store, other = (UsageStore(database, lambda: now[0]) for _ in range(2))
    asked = charge(1, "1000 segments/minute")
    assert store.note(asked) is None
    store.charge(asked)
    notes = [store.note(asked) for _ in range(6)]
    assert [note and note[1][0].used for note in notes] == [2, 3, 4, 5, 6, None]
    assert store.charge(asked)[1][0].used == 7
    # Another second, another minute and another process each begin with an exact count.
    assert store.note(asked) is not None and other.note(asked) is None
    now[0] += 1
    assert store.note(asked) is None
    store.charge(asked)
    now[0] += 29
    assert store.note(asked) is None and store.charge(asked)[1][0].used == 1
    assert store.charge(charge(499, "1000 segments/minute"))[1][0].used == 500
    assert store.note(asked) is None
    assert sum(row.segments for row in store.used("month", 0.0, "Ana")) == 509


def test_rates_of_an_owner_hold_for_all_keys_in_memory_too(database: Database) -> None:
    store = UsageStore(database, lambda: MOMENT)
    store.charge(charge(1, key="a", owner_rates="1000 segments/day"))
    notes = [store.note(charge(1, key="ab"[k % 2], owner_rates="1000 segments/day")) for k in range(6)]
    assert [note and note[1][0].used for note in notes] == [2, 3, 4, 5, 6, None]
    assert store.note(charge(1, "5 segments/day", "a", owner_rates="1000 segments/day")) is None


def test_a_refund_is_seen_by_other_servers_at_once(database: Database) -> None:
    first, other = (UsageStore(database, lambda: MOMENT) for _ in range(2))
    asked = charge(10, "10 segments/day")
    moment, _ = first.charge(asked)
    first.refund(asked, moment)
    assert other.charge(asked)[1][0].used == 10
