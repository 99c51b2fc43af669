"""Translations of one owner's sources: stored ones first, then those of the service, within its budget."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import Final

import httpx2
from sqlalchemy import Connection
from sqlalchemy import Engine as Database

from app.engine.evidence import EvidenceSource
from app.errors import InputError
from app.operations.translating import Translators, unknown_service
from app.running.tracing import span
from app.server.translation.fetching import NoAnswerError, RefusalError, client_of, post, repeated, run_watched
from app.server.translation.protocols import groups_of, message_of, translations_in
from app.server.translation.services import HttpService, Service
from app.server.translation.stored import TranslationStore
from app.settings import Settings
from app.text import LanguagePair

__all__ = ["LOG", "OwnTranslators", "TranslatorFactory"]

LOG: Final = "assay.translation"
log = logging.getLogger(LOG)
Check = Callable[[Connection], None]
REMEDY: Final = "translations that arrived are stored, so ask again"
# Calls of a process that may wait for one service: a slow service leaves threads to the others.
MOST_CALLS: Final = 4


class TranslatorFactory:
    """The services of a process. Texts have at most `longest` characters; `systems` translate for the protocol `system`."""

    def __init__(self, services: Mapping[str, Service], store: TranslationStore, systems: EvidenceSource, longest: int) -> None:
        self.services, self.store, self.systems, self.longest = services, store, systems, longest
        self._turns = {name: threading.BoundedSemaphore(MOST_CALLS) for name in services}

    @classmethod
    def of_settings(
        cls, services: Mapping[str, Service], settings: Settings, database: Database, systems: EvidenceSource
    ) -> "TranslatorFactory":
        """The services with stored translations as long, as many and as old as the settings allow."""
        store = TranslationStore(database, settings.stored_translations, settings.keep_translations_days)
        return cls(services, store, systems, settings.max_segment_characters)

    @contextmanager
    def turn(self, service: str) -> Iterator[None]:
        """A call's turn at a service; InputError (`overloaded`) if `MOST_CALLS` wait for it."""
        if not self._turns[service].acquire(blocking=False):
            detail = f"{MOST_CALLS} calls wait for the service {service}; ask again in a moment, or send a job"
            raise InputError("overloaded", detail, ("translate",))
        try:
            yield
        finally:
            self._turns[service].release()

    def of(self, owner: str, check: Check | None = None) -> Translators:
        """The services for an owner, whose stored translations nobody else reads; `check` is that of `TranslationStore.store`."""
        return OwnTranslators(self, owner, check)


class OwnTranslators:
    """The services for one owner (`app.operations.translating.Translators`)."""

    def __init__(self, factory: TranslatorFactory, owner: str, check: Check | None) -> None:
        self._factory = factory
        self._owner = owner
        self._check = check

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the services."""
        return tuple(self._factory.services)

    def check(self, service: str) -> None:
        """InputError (`unknown-service`) unless a service has this name."""
        if service not in self._factory.services:
            raise unknown_service(service, self.names)

    def translations(self, service: str, pair: LanguagePair, sources: Sequence[str], numbers: Sequence[int] = ()) -> list[str]:
        """Translations by a service, each stored as soon as it arrives. Equal sources are sent once, blank ones never."""
        self.check(service)
        setup = self._factory.services[service]
        if not isinstance(setup, HttpService):
            return list(self._factory.systems.translations(pair, sources))
        numbers = numbers or range(len(sources))
        first_places = {text: number for text, number in zip(reversed(sources), reversed(numbers), strict=True) if text.strip()}
        digests = _digests(service, setup, pair, [text for text in dict.fromkeys(sources) if text in first_places])
        stored = self._factory.store.stored(self._owner, list(digests.values()))
        results = {text: stored[digest] for text, digest in digests.items() if digest in stored}
        missing = {text: first_places[text] for text in digests if text not in results}
        if missing:
            with self._factory.turn(service), span("translate", "client", service=service, texts=len(missing)):
                fetching = _Fetching(self._factory, service, setup, pair)
                results |= run_watched(fetching.translations(missing, partial(self._keep, digests)))
        return [results.get(text, "") for text in sources]

    def _keep(self, digests: Mapping[str, str], translations: Mapping[str, str]) -> None:
        self._factory.store.store(self._owner, {digests[text]: translations[text] for text in translations}, self._check)


def _digests(name: str, service: HttpService, pair: LanguagePair, texts: Sequence[str]) -> dict[str, str]:
    """By text, the SHA-256 of all that decides on its translation."""
    prefix = json.dumps([name, service.fingerprint(), pair.source, pair.target])
    return {text: sha256(f"{prefix}{json.dumps(text)}".encode("ascii")).hexdigest() for text in texts}


class _Fetching:
    """Requests to one service for one call or chunk."""

    def __init__(self, factory: TranslatorFactory, name: str, service: HttpService, pair: LanguagePair) -> None:
        self._store, self._longest = factory.store, factory.longest
        self._name, self._service, self._pair = name, service, pair

    async def translations(self, places: Mapping[str, int], keep: Callable[[Mapping[str, str]], None]) -> dict[str, str]:
        """Translations of texts with their places, each given to `keep` when it arrives; InputError at the first failure."""
        results: dict[str, str] = {}
        async with client_of(self._service) as client:
            for group in groups_of(self._service, list(places)):
                translations = dict(zip(group, await self._group(client, group, places[group[0]]), strict=True))
                await asyncio.to_thread(keep, translations)
                results |= translations
        return results

    async def _group(self, client: httpx2.AsyncClient, texts: Sequence[str], place: int) -> list[str]:
        segment = ("sources", place)

        async def attempt() -> bytes:
            return await self._attempt(client, texts, segment)

        try:
            raw = await repeated(self._service.attempts, attempt)
        except NoAnswerError as failure:
            cause = failure.__cause__
            log.warning("the translation service %s %s%s", self._name, failure, f" ({type(cause).__name__})" if cause else "")
            raise InputError("service-failed", f"the service {self._name} {failure}; {REMEDY}", segment) from None
        try:
            return translations_in(self._service, raw, len(texts), self._longest)
        except ValueError as error:
            log.warning("the answer of the translation service %s cannot be used: %s", self._name, error)
            detail = f"the answer of the service {self._name} cannot be used: {error}"
            raise InputError("service-unreadable", detail, segment) from None

    async def _attempt(self, client: httpx2.AsyncClient, texts: Sequence[str], segment: tuple[str, int]) -> bytes:
        """One attempt, which counts in the budget unless the service refuses it."""
        characters, budget = sum(map(len, texts)), self._service.characters_per_day
        if budget and not await asyncio.to_thread(self._store.reserve, self._name, characters, budget):
            detail = f"the service {self._name} has a budget of {budget} characters a day, which does not suffice for this segment"
            raise InputError("service-budget-spent", f"{detail}; send it after midnight (UTC), or translate it elsewhere", segment)
        try:
            return await post(client, self._service, message_of(self._service, self._pair, texts))
        except RefusalError:
            if budget:
                await asyncio.to_thread(self._store.give_back, self._name, characters)
            raise
