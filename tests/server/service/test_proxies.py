"""Whom a server believes about who asks: addresses of clients, names of users, and settings that cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.server.service import Proxies
from app.settings import Settings

SIGNING_IN = {"trusted_proxies": "10.0.0.1, 10.1.0.0/16, fd00::/8, ::1", "proxy_user_header": "X-Forwarded-User"}


def proxies(**fields: object) -> Proxies:
    return Proxies.of(Settings(**{**SIGNING_IN, **fields}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "variable"),
    [
        ({"trusted_proxies": ""}, "ASSAY_PROXY_USER_HEADER"),
        ({"proxy_user_header": ""}, "ASSAY_PROXY_ADMINS"),
        ({"proxy_user_header": "Remote User"}, "ASSAY_PROXY_USER_HEADER"),
        ({"proxy_user_header": "X_User\u00e9"}, "ASSAY_PROXY_USER_HEADER"),
        ({"proxy_user_header": "Cookie"}, "ASSAY_PROXY_USER_HEADER"),
        ({"proxy_user_header": "host"}, "ASSAY_PROXY_USER_HEADER"),
        ({"trusted_proxies": "proxy"}, "ASSAY_TRUSTED_PROXIES"),
        ({"trusted_proxies": "*"}, "ASSAY_TRUSTED_PROXIES"),
        ({"trusted_proxies": "10.0.0.1/8"}, "ASSAY_TRUSTED_PROXIES"),
        ({"trusted_proxies": "0.0.0.0/0"}, "ASSAY_TRUSTED_PROXIES"),
        ({"trusted_proxies": "10.0.0.1,::/0"}, "ASSAY_TRUSTED_PROXIES"),
        ({"proxy_user_scopes": "quality,everything"}, "ASSAY_PROXY_USER_SCOPES"),
        ({"proxy_user_scopes": "admin"}, "ASSAY_PROXY_USER_SCOPES"),
        ({"allow_anonymous": True}, "ASSAY_ALLOW_ANONYMOUS"),
    ],
)
def test_settings_that_cannot_be_are_refused(fields: dict[str, object], variable: str) -> None:
    with pytest.raises(InputError) as refused:
        proxies(**{"proxy_admins": "Ana", **fields})
    assert refused.value.where == (variable,)


def test_nobody_is_believed_by_default() -> None:
    default = Proxies.of(Settings())
    assert (default.networks, default.user_header) == ((), "")
    assert not default.trust("127.0.0.1") and not default.trust(None)
    # Any network may be believed about addresses, where users are not named.
    assert Proxies.of(Settings(trusted_proxies="0.0.0.0/0")).trust("192.0.2.1")


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("10.0.0.1", True), ("10.0.0.2", False), ("10.1.255.255", True), ("10.2.0.0", False), ("fd00::7", True), ("::1", True),
        ("::ffff:10.0.0.1", True), ("::ffff:10.0.0.2", False), ("0:0:0:0:0:0:0:1", True), ("fe80::1%eth0", False), ("", False), (None, False),
        ("localhost", False), ("10.0.0.1 ", False),
    ],
)  # fmt: skip
def test_proxies_are_told_by_their_addresses(host: str | None, trusted: bool) -> None:
    assert proxies().trust(host) == trusted


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ([], "10.0.0.1"),
        (["192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7:4711"], "192.0.2.7"),
        (["[2001:db8::1]:80"], "2001:db8::1"),
        (["2001:db8::1"], "2001:db8::1"),
        # What stands left of an address that is not trusted, that address may have invented.
        (["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        (["127.0.0.1, 192.0.2.7"], "192.0.2.7"),
        (["198.51.100.1", "192.0.2.7"], "192.0.2.7"),
        # The right-most one that is no proxy of ours.
        (["198.51.100.1, 192.0.2.7, 10.1.2.3"], "192.0.2.7"),
        (["10.1.2.3, 10.1.2.4"], "10.1.2.3"),
        (["::ffff:192.0.2.7"], "192.0.2.7"),
        (["unknown"], "10.0.0.1"),
        (["192.0.2.7, "], "10.0.0.1"),
        (["198.51.100.1, _hidden, 10.1.2.3"], "10.1.2.3"),
        (["[192.0.2.7"], "192.0.2.7"),
        ([",".join(["192.0.2.7", *["10.1.0.1"] * 30])], "10.1.0.1"),
    ],
)
def test_the_client_is_the_last_that_is_no_proxy(forwarded: list[str], client: str) -> None:
    assert proxies().client_of("10.0.0.1", forwarded) == client


def test_who_is_not_trusted_says_nothing_about_addresses() -> None:
    assert proxies().client_of("192.0.2.9", ["10.0.0.1"]) == "192.0.2.9"


@pytest.mark.parametrize(
    ("values", "user"),
    [([], None), ([b""], None), ([b"  "], None), ([b"ana"], "ana"), ([" Ana Žižek ".encode()], "Ana Žižek"), ([b"a@b.example"], "a@b.example"), ([b"x" * 100], "x" * 100)],
)  # fmt: skip
def test_a_user_is_one_name(values: list[bytes], user: str | None) -> None:
    assert proxies().user_of(values) == user


@pytest.mark.parametrize(
    "values",
    [[b"ana", b"bo"], [b"ana", b"ana"], [b"", b"bo"], [b"ana, bo"], [b"x" * 101], [b"a\tb"], [b"\xff"], ["a\u202eb".encode()], [b"a\x00b"], ["a\u2028b".encode()]],
)  # fmt: skip
def test_what_is_no_one_name_is_refused(values: list[bytes]) -> None:
    with pytest.raises(InputError) as refused:
        proxies().user_of(values)
    assert refused.value.code == "invalid-user"


def test_users_may_what_the_settings_say() -> None:
    of_some = proxies(proxy_user_scopes="quality, jobs", proxy_admins="root, Ana Pop")
    assert of_some.scopes_of("bo") == {"quality", "jobs"}
    assert of_some.scopes_of("Ana Pop") == of_some.scopes_of("root") == {"admin"}
    assert of_some.scopes_of("ana pop") == {"quality", "jobs"}
    assert proxies().scopes_of("bo") == {"quality", "score", "jobs", "feedback"}


@given(st.lists(st.text(st.characters(max_codepoint=255), max_size=60), max_size=4))
def test_no_header_of_addresses_breaks_anything(forwarded: list[str]) -> None:
    assert proxies().client_of("10.0.0.1", forwarded)
