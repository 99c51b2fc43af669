"""Proxies in front of the server: trusted addresses, headers with the user, and the users' permissions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from app.errors import InputError
from app.server.store import ADMIN, RESERVED_NAMES, SCOPES
from app.settings import Settings

__all__ = ["Proxies", "address_of"]

LONGEST_NAME: Final = 100
# An IPv6 address with its zone has fewer characters.
LONGEST_ADDRESS: Final = 100
# Proxies between a client and the server that are looked at; a header with more is not written by people's proxies.
MOST_HOPS: Final = 20
HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,100}")
# Headers that a browser or a proxy sends for another purpose cannot name the user.
RESERVED_HEADERS: Final = frozenset({"authorization", "cookie", "host", "origin", "x-forwarded-for", "x-forwarded-proto"})

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Proxies:
    """Trusted proxies by their addresses, and the users whom they have signed in.

    `user_header` is the header, in small letters, that names the user; empty if proxies sign in no users.
    """

    networks: tuple[Network, ...]
    user_header: str
    scopes: frozenset[str]
    admins: frozenset[str]

    @classmethod
    def of(cls, settings: Settings) -> "Proxies":
        """Proxies of the settings; InputError names a variable with an invalid value, or a missing one."""
        networks = tuple(_network(part) for part in _parts(settings.trusted_proxies))
        header = settings.proxy_user_header.strip().lower()
        scopes, admins = frozenset(_parts(settings.proxy_user_scopes)), frozenset(_parts(settings.proxy_admins))
        if scopes - (set(SCOPES) - {ADMIN}):
            accepted_scopes = ", ".join(scope for scope in SCOPES if scope != ADMIN)
            raise _wrong(
                "PROXY_USER_SCOPES", f"scopes are {accepted_scopes}; ASSAY_PROXY_ADMINS has the users who may do everything"
            )
        if header:
            _check_signing_in(header, networks, settings)
        elif admins:
            raise _wrong("PROXY_ADMINS", "ASSAY_PROXY_USER_HEADER must say in which header a proxy names users")
        return cls(networks, header, scopes, admins)

    def trust(self, host: str | None) -> bool:
        """Return True if a network address is trusted."""
        address = address_of(host)
        return address is not None and any(address in network for network in self.networks)

    def client_of(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address of who asks: going back from `peer`, the first one that is no trusted proxy.

        `forwarded` are the values of X-Forwarded-For in their order. Only a trusted proxy's entry is followed further: headers of
        other senders may hold anything, so reading stops there, and at an invalid address.
        """
        client = peer
        for hop in reversed(",".join(forwarded).rsplit(",", MOST_HOPS)):
            if not self.trust(client):
                break
            address = address_of(_without_port(hop.strip()))
            if address is None:
                break
            client = str(address)
        return client

    def user_of(self, values: Sequence[bytes]) -> str | None:
        """The user whom a trusted proxy names in its header; None without a name. InputError for an invalid name or several."""
        if len(values) > 1:
            raise InputError("invalid-user", "the proxy named more than one user", (self.user_header,))
        try:
            # Blanks that HTTP allows around a value; any other is a part of the name, and makes it another or none.
            name = values[0].decode("utf-8").strip(" \t") if values else ""
        except UnicodeDecodeError:
            raise InputError("invalid-user", "the proxy's name of the user is not UTF-8", (self.user_header,)) from None
        # Some proxies join headers of one name by commas: that is more than one user again.
        if len(name) > LONGEST_NAME or not name.isprintable() or "," in name or name != name.strip() or name in RESERVED_NAMES:
            detail = f"a user is a printable name of at most {LONGEST_NAME} characters, without commas, and none that records have"
            raise InputError("invalid-user", detail, (self.user_header,))
        return name or None

    def scopes_of(self, user: str) -> frozenset[str]:
        """Permissions of a user."""
        return frozenset({ADMIN}) if user in self.admins else self.scopes


def address_of(host: str | None) -> Address | None:
    """An IP address; an IPv4 address in IPv6 form becomes IPv4. None for other text."""
    return None if host is None or len(host) > LONGEST_ADDRESS else _address_of(host)


@lru_cache(maxsize=1024)
def _address_of(host: str) -> Address | None:
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped_address = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped_address or address


def _check_signing_in(header: str, networks: Sequence[Network], settings: Settings) -> None:
    if not HEADER.fullmatch(header) or header in RESERVED_HEADERS:
        raise _wrong("PROXY_USER_HEADER", "this is no header for users' names; X-Forwarded-User and Remote-User are usual")
    if not networks:
        raise _wrong("PROXY_USER_HEADER", "ASSAY_TRUSTED_PROXIES must say which addresses may name users")
    if any(network.prefixlen == 0 for network in networks):
        raise _wrong("TRUSTED_PROXIES", "everybody could say who they are; name the addresses of the proxies")
    if settings.allow_anonymous:
        raise _wrong("ALLOW_ANONYMOUS", "a proxy signs users in, so nobody may come in without a name; leave one of both out")


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError:
        raise _wrong("TRUSTED_PROXIES", "addresses and networks are accepted, as 127.0.0.1, ::1 and 10.0.3.0/24") from None


def _wrong(variable: str, detail: str) -> InputError:
    return InputError("invalid-request", detail, (f"ASSAY_{variable}",))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _without_port(hop: str) -> str:
    """An address as proxies write it: ``192.0.2.1``, ``192.0.2.1:80``, ``2001:db8::1``, ``[2001:db8::1]:80``."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
