"""Translations by a real small server: its protocol, its faults, budgets, stored answers and secrets."""

import logging
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import func, select, update

from app.engine.evidence import NoSystems
from app.errors import InputError
from app.operations.translating import Translators
from app.running.deadline import Deadline, until
from app.server.store.tables import TranslationRow
from app.server.translation import TranslationStore, TranslatorFactory, open_services
from app.settings import Settings
from app.text import LanguagePair
from tests.server.translation.small_service import ENGLISH, KEY, SmallService

PAIR = LanguagePair("ro", "en")
SOURCES = list(ENGLISH)


class House:
    """Services of a file, with the database of a test."""

    def __init__(self, folder: Path, database: Database, toml: str, **settings: Any) -> None:
        self.path = folder / "services.toml"
        self.path.write_text(toml)
        self.settings = Settings(data_dir=folder, translation_services=self.path, **settings)
        services = open_services(self.settings)
        self.factory = TranslatorFactory.of_settings(services, self.settings, database, NoSystems())

    @property
    def store(self) -> TranslationStore:
        return self.factory.store

    def of(self, owner: str = "Ana") -> Translators:
        return self.factory.of(owner)


def libre(service: SmallService, more: str = "") -> str:
    return f'[libre]\nprotocol = "libretranslate"\nurl = "{service.address}/translate"\ntimeout_seconds = 0.5\n{more}\n'


def refusal(house: House, sources: list[str], **more: Any) -> InputError:
    with pytest.raises(InputError) as refused:
        house.of().translations("libre", PAIR, sources, **more)
    return refused.value


def test_libretranslate_gets_its_documented_request(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service))
    assert house.of().translations("libre", PAIR, [*SOURCES, "", SOURCES[0], "  "]) == [
        *ENGLISH.values(),
        "",
        "The house is big.",
        "",
    ]
    # Equal sources go once, blank ones never.
    assert service.asked == [{"q": SOURCES, "source": "ro", "target": "en", "format": "text"}]
    assert service.headers[0]["accept-encoding"] == "identity" and service.headers[0]["content-type"] == "application/json"


def test_groups_are_as_large_as_the_operator_says(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service, "request_characters = 26"))
    assert house.of().translations("libre", PAIR, [*SOURCES, "x" * 100]) == [*ENGLISH.values(), f"The {'x' * 100}"]
    assert [request["q"] for request in service.asked] == [SOURCES[:2], SOURCES[2:], ["x" * 100]]
    house.of().translations("libre", PAIR, list("abcdefghijklmnopqrstuvwxyzăâîșț"))
    assert [len(request["q"]) for request in service.asked[3:]] == [25, 6]


def test_a_template_of_json_makes_another_service(service: SmallService, tmp_path: Path, database: Database) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    toml = f"""
    [deepl]
    protocol = "json"
    url = "{service.address}/deepl"
    key_file = "{tmp_path}/key"
    headers = {{ Authorization = "DeepL-Auth-Key {{key}}" }}
    query = {{ "api-version" = "3.0", to = "{{target}}" }}
    body = {{ text = ["{{text}}"], source_lang = "{{source}}", target_lang = "{{target}}", formal = true }}
    translation = "/translations/0/text"
    languages = {{ en = "EN-GB" }}
    """
    house = House(tmp_path, database, toml)
    # A source is no template: its places stay as they are.
    sources = ["Casa este mare.", "{key} {target} {0} {__class__}"]
    assert house.of().translations("deepl", PAIR, sources) == ["The house is big.!", "The {key} {target} {0} {__class__}!"]
    assert service.asked[1] == {"text": [sources[1]], "source_lang": "ro", "target_lang": "EN-GB", "formal": True}


@pytest.mark.parametrize("fault", ["500", "502", "503", "429", "later", "sleeps"])
def test_a_passing_fault_is_repeated(fault: str, service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service))
    service.faults = [fault]
    assert house.of().translations("libre", PAIR, SOURCES) == list(ENGLISH.values())
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("fault", "code", "words", "attempts"),
    [
        ("400", "service-failed", "answered 400", 1),
        ("403", "service-failed", "answered 403", 1),
        ("500", "service-failed", "answered 500", 2),
        ("much later", "service-failed", "answered 429", 1),
        ("sleeps", "service-failed", "did not answer within 0.5 s", 2),
        ("drips", "service-failed", "did not answer within 0.5 s", 2),
        ("redirects", "service-failed", "redirects are not followed", 1),
        ("html", "service-failed", "something else than JSON", 1),
        ("huge", "service-failed", "more than 8 megabytes", 1),
        ("nested", "service-unreadable", "no JSON", 1),
        ("broken", "service-unreadable", "no JSON", 1),
        ("latin", "service-unreadable", "no JSON", 1),
        ("few", "service-unreadable", "0 translations for 1 texts", 1),
        ("number", "service-unreadable", "no list of texts", 1),
        ("other", "service-unreadable", "no list of texts", 1),
        ("list", "service-unreadable", "no list of texts", 1),
        ("null", "service-unreadable", "no list of texts", 1),
        ("nul", "service-unreadable", "NUL", 1),
        ("long", "service-unreadable", "20001 characters", 1),
    ],
)
def test_a_lasting_fault_names_service_and_segment(
    fault: str, code: str, words: str, attempts: int, service: SmallService, tmp_path: Path, database: Database
) -> None:
    house = House(tmp_path, database, libre(service, "request_characters = 1\nattempts = 2"))
    house.of().translations("libre", PAIR, SOURCES[:1])
    service.faults = [fault] * 2
    error = refusal(house, SOURCES[:2], numbers=[40, 41])
    assert (error.code, error.where) == (code, ("sources", 41)) and "libre" in error.detail and words in error.detail
    assert len(service.asked) == 1 + attempts and "/elsewhere" not in service.paths
    # Nothing is lost: only the rest is asked for again.
    service.faults = []
    assert house.of().translations("libre", PAIR, SOURCES) == list(ENGLISH.values())
    assert [request["q"] for request in service.asked[1 + attempts :]] == [[SOURCES[1]], [SOURCES[2]]]


def test_a_service_that_is_not_there_is_named(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service).replace(str(service.port), "1") + "attempts = 1")
    error = refusal(house, SOURCES)
    assert error.code == "service-failed" and "could not be reached" in error.detail
    assert house.store.characters_today("libre") == 0
    with pytest.raises(InputError, match="the services are libre") as refused:
        house.of().translations("deepl", PAIR, SOURCES)
    assert refused.value.code == "unknown-service"


def test_a_call_that_is_over_waits_for_no_service(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service).replace("timeout_seconds = 0.5", "timeout_seconds = 60"))
    service.faults = ["sleeps"]
    begin_time = time.monotonic()
    with until(Deadline(0.3)), pytest.raises(InputError) as refused:
        house.of().translations("libre", PAIR, SOURCES)
    assert refused.value.code == "too-slow" and time.monotonic() - begin_time < 5


def test_a_budget_is_that_of_all_owners_and_survives_a_restart(service: SmallService, tmp_path: Path, database: Database) -> None:
    toml = libre(service, "characters_per_day = 39\nrequest_characters = 1")
    house = House(tmp_path, database, toml)
    lengths = [len(text) for text in SOURCES]
    assert house.of("Ana").translations("libre", PAIR, SOURCES[:2]) and house.store.characters_today("libre") == sum(lengths[:2])
    again = House(tmp_path, database, toml)
    error = refusal(again, SOURCES)
    assert (error.code, error.where) == ("service-budget-spent", ("sources", 2)) and "39 characters a day" in error.detail
    assert again.store.characters_today("libre") == sum(lengths[:2]) and len(service.asked) == 2
    # Stored answers cost nothing, and those of one owner are not another's.
    assert again.of("Ana").translations("libre", PAIR, SOURCES[:2]) == list(ENGLISH.values())[:2]
    service.faults = ["400"]
    with pytest.raises(InputError, match="answered 400"):
        again.of("Bo").translations("libre", PAIR, ["Da."])
    # A request that the service refuses costs nothing; one that it may have translated does.
    assert again.store.characters_today("libre") == sum(lengths[:2])
    service.faults = ["few"]
    with pytest.raises(InputError, match="cannot be used"):
        again.of("Bo").translations("libre", PAIR, ["Da."])
    assert again.store.characters_today("libre") == sum(lengths[:2]) + 3


def test_answers_are_stored_for_owner_service_and_languages(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service))
    for owner, count in (("Ana", 1), ("Ana", 1), ("Bo", 2)):
        house.of(owner).translations("libre", PAIR, SOURCES)
        assert len(service.asked) == count
    house.of("Ana").translations("libre", LanguagePair("it", "en"), SOURCES)
    assert len(service.asked) == 3
    # Another set-up is another service, another time limit is not.
    House(tmp_path, database, libre(service, "attempts = 1")).of("Ana").translations("libre", PAIR, SOURCES)
    assert len(service.asked) == 3
    House(tmp_path, database, libre(service, 'languages = { ro = "rum" }')).of("Ana").translations("libre", PAIR, SOURCES)
    assert service.asked[3]["source"] == "rum"


def test_stored_answers_are_few_and_young(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service), stored_translations=2)

    def count() -> int:
        with database.connect() as connection:
            return int(connection.scalar(select(func.count()).select_from(TranslationRow)) or 0)

    house.of().translations("libre", PAIR, SOURCES)
    assert count() == 2
    with database.begin() as connection:
        connection.execute(update(TranslationRow).values(created=TranslationRow.created - 31 * 86400))
    house.of().translations("libre", PAIR, SOURCES)
    assert len(service.asked) == 2 and service.asked[1]["q"] == SOURCES and count() == 2
    nothing = House(tmp_path, database, libre(service), stored_translations=0)
    nothing.of("Bo").translations("libre", PAIR, SOURCES)
    nothing.of("Bo").translations("libre", PAIR, SOURCES)
    assert len(service.asked) == 4 and count() == 2


def test_keys_are_in_no_log_error_and_repr(
    service: SmallService, tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("LIBRE_KEY", KEY)
    house = House(tmp_path, database, libre(service, 'key_variable = "LIBRE_KEY"\nattempts = 1'))
    service.needs_key = True
    assert house.of().translations("libre", PAIR, SOURCES) == list(ENGLISH.values())
    assert service.asked[0]["api_key"] == KEY
    for fault in ("500", "sleeps", "few", "redirects"):
        service.faults = [fault]
        assert KEY not in str(refusal(house, ["Da."]))
    assert KEY not in caplog.text and KEY not in repr(house.factory.services) and KEY not in repr(house.settings)
    assert "Da." not in caplog.text
    # The environment names no other way: neither a proxy nor a key of a host.
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert house.of().translations("libre", PAIR, ["Nu."]) == ["The Nu."]


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[libre", "no TOML"),
        ('[libre]\nprotocol = "soap"', "protocol"),
        ('[libre]\nprotocol = "libretranslate"', "url"),
        ('[libre]\nprotocol = "libretranslate"\nurl = "file:///etc/passwd"', "begins with http"),
        ('[libre]\nprotocol = "libretranslate"\nurl = "https://user:word@example.org/"', "without a user"),
        ('[libre]\nprotocol = "libretranslate"\nurl = "http://example.org/"\nfollow = true', "follow"),
        ('[libre]\nprotocol = "libretranslate"\nurl = "http://example.org/"\nkey_variable = "NO_SUCH_VARIABLE"', "the key is empty"),
        ('[libre]\nprotocol = "libretranslate"\nurl = "http://example.org/"\nkey_file = "/nowhere/key"', "cannot be read"),
        ('[a]\nprotocol = "json"\nurl = "http://example.org/"\nbody = { q = "text" }\ntranslation = "/a"', "{text}"),
        ('[a]\nprotocol = "json"\nurl = "http://example.org/"\nbody = { q = "{text}" }\ntranslation = "a"', "begins with /"),
        ('[a]\nprotocol = "json"\nurl = "http://example.org/"\nbody = { q = "{text}" }\ntranslation = "/a"\nquery = { k = "{key}" }', "query"),
        ('["a\\nb"]\nprotocol = "system"', "one line"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_at_the_start(toml: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "services.toml"
    path.write_text(toml)
    with pytest.raises(InputError) as refused:
        open_services(Settings(data_dir=tmp_path, translation_services=path))
    assert words in str(refused.value) and "services.toml" in str(refused.value)


def test_without_a_file_there_are_no_services(tmp_path: Path, database: Database) -> None:
    settings = Settings(data_dir=tmp_path)
    factory = TranslatorFactory.of_settings(open_services(settings), settings, database, NoSystems())
    assert factory.of("").names == ()
    with pytest.raises(InputError, match="ASSAY_TRANSLATION_SERVICES"):
        factory.of("").translations("libre", PAIR, SOURCES)


def test_a_slow_service_leaves_threads_to_others(service: SmallService, tmp_path: Path, database: Database) -> None:
    house = House(tmp_path, database, libre(service) + libre(service).replace("[libre]", "[other]"))
    with ExitStack() as waiting:
        for _ in range(4):
            waiting.enter_context(house.factory.turn("libre"))
        busy = refusal(house, SOURCES[:1])
        assert (busy.code, busy.where) == ("overloaded", ("translate",))
        assert house.of().translations("other", PAIR, SOURCES[:1]) == [ENGLISH[SOURCES[0]]]
    assert house.of().translations("libre", PAIR, SOURCES[:1]) == [ENGLISH[SOURCES[0]]]
