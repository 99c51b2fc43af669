"""Keys: only their digests are kept, and what is revoked, rotated or expired opens nothing."""

import hashlib
import time

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import text

from app.errors import InputError
from app.running.rates import KeyLimits, parse_rates
from app.server.store import SESSION_SECONDS, KeyStore, ModelOwners


def test_a_token_opens_until_it_is_rotated_or_revoked(database: Database) -> None:
    keys = KeyStore(database)
    assert not keys.exist()
    key, token = keys.create("build", ["score", "jobs"], owner="Ana", pairs=["ro-en"], models=["m"])
    assert keys.exist() and token.startswith(f"assay_{key.id}_")
    first = keys.find(token)
    assert first is not None and (first.owner, first.scopes, first.pairs, first.models) == (
        "Ana", frozenset({"score", "jobs"}), frozenset({"ro-en"}), frozenset({"m"})
    )  # fmt: skip
    assert keys.list()[0].used is not None
    for wrong in ("", token[:-1], token + "0", token[:-1] + ("0" if token[-1] != "0" else "1"), token.upper(), "assay_ă_x", key.id):
        assert keys.find(wrong) is None
    second = keys.rotate("build")
    assert keys.find(token) is None and keys.find(second) is not None
    keys.revoke("build")
    assert keys.find(second) is None and keys.exist()
    for change in (keys.rotate, keys.revoke):
        with pytest.raises(InputError):
            change("nobody")
    with pytest.raises(InputError, match="revoked"):
        keys.rotate("build")


def test_the_token_is_kept_nowhere(database: Database) -> None:
    _, token = KeyStore(database).create("a", ["admin"])
    with database.connect() as connection:
        (row,) = connection.execute(text("SELECT * FROM api_keys"))
    assert hashlib.sha256(token.encode()).hexdigest() in row
    assert not any(token.rpartition("_")[2] in str(value) for value in row)


def test_an_expired_key_opens_nothing(database: Database) -> None:
    keys = KeyStore(database)
    _, token = keys.create("old", ["score"], expires=time.time() - 1)
    _, later = keys.create("new", ["score"], expires=time.time() + 60)
    assert keys.find(token) is None and keys.find(later) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""}, {"name": "a b"}, {"name": "x" * 101}, {"scopes": []}, {"scopes": ["all"]}, {"owner": "a\nb"},
        {"pairs": ["romanian"]},
    ],
)  # fmt: skip
def test_what_cannot_be_a_key_is_refused(database: Database, wrong: dict[str, object]) -> None:
    fields = {"name": "a", "scopes": ["score"], **wrong}
    with pytest.raises(InputError):
        KeyStore(database).create(**fields)  # type: ignore[arg-type]


def test_names_are_unique(database: Database) -> None:
    keys = KeyStore(database)
    keys.create("a", ["score"])
    with pytest.raises(InputError, match="exists"):
        keys.create("a", ["score"])


def test_a_model_is_its_owners_from_before_it_is_there(database: Database) -> None:
    here, elsewhere = ModelOwners(database), ModelOwners(database)
    assert here.owner_of("shipped", 1) is None and here.owner_of("new", 1) is None
    elsewhere.claim("new", "Ana")
    elsewhere.claim("new", "Ana")
    # Whoever asked for it before it was there learns whose it is when it is.
    assert here.owner_of("new", 2) == elsewhere.owner_of("new", 2) == "Ana"
    assert here.owner_of("shipped", 2) is None


def test_a_session_ends_by_itself_with_its_key_and_when_somebody_ends_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = KeyStore(database)
    _, token = keys.create("a", ["score"])
    assert keys.open_session(token[:-1]) is None
    first, second, third = (keys.open_session(token) or "" for _ in range(3))
    assert len({first, second, third}) == 3 and all(keys.key_of_session(cookie) for cookie in (first, second, third))
    keys.end_session(first)
    assert keys.key_of_session(first) is None and keys.key_of_session(second) is not None
    for wrong in ("", first[:-1], second.upper(), second + "0", "\0", "ă"):
        assert keys.key_of_session(wrong) is None
    with database.connect() as connection:
        kept = str(connection.exec_driver_sql("SELECT * FROM sessions").all())
    assert second not in kept and third not in kept
    end = time.time() + SESSION_SECONDS + 1
    with monkeypatch.context() as later:
        later.setattr("time.time", lambda: end)
        assert keys.key_of_session(second) is None
    keys.rotate("a")
    assert keys.key_of_session(second) is None and keys.key_of_session(third) is None


def test_a_key_has_limits_that_can_be_changed(database: Database) -> None:
    keys = KeyStore(database)
    limits = KeyLimits(parse_rates("10 segments/minute, 20 characters/day", "rate"), 3, 10**12)
    first, token = keys.create("a", ["score"], limits=limits)
    keys.create("b", ["score"])
    found = keys.find(token)
    assert found is not None and first.limits == found.limits == keys.named("a").limits == limits
    assert keys.named("b").limits == KeyLimits()
    assert keys.limit("a", KeyLimits(rates=(), jobs_at_once=0)).limits == keys.named("a").limits == KeyLimits((), 0, None)
    with pytest.raises(InputError):
        keys.limit("nobody", limits)
