"""The file of translation services (TOML): a table for each service, read and checked once at the start."""

import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import httpx2
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, TypeAdapter, ValidationError, model_validator

from app.errors import InputError
from app.operations.parts.names import PlainName
from app.operations.validation import explain_fault
from app.server.translation.templates import check_pointer, has_place
from app.settings import Settings, read_secret, variable_value

__all__ = ["HttpService", "LibreTranslate", "LoadedSystem", "Service", "Template", "open_services"]

SETTING: Final = "ASSAY_TRANSLATION_SERVICES"
LARGEST_FILE: Final = 1 << 20


def _address(url: str) -> str:
    try:
        parsed_url = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise ValueError("this is no valid address") from None
    if parsed_url.scheme not in ("http", "https") or not parsed_url.host or parsed_url.userinfo or parsed_url.fragment:
        raise ValueError("an address begins with http:// or https:// and a host, without a user and a fragment")
    return url


class LoadedSystem(BaseModel):
    """The phrase-based systems that are loaded here, as a service without a network."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: Literal["system"]


class HttpService(BaseModel):
    """A service over HTTP. Requests go to `url` alone.

    The key is the text of `key_file`, or of the variable `key_variable`. `timeout_seconds` limits an attempt from its connection
    to its last byte. `characters_per_day` (UTC, of sources) is the budget of all callers together; 0 is no limit. `languages`
    maps our codes to the service's, for codes that differ.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, Field(max_length=2000), AfterValidator(_address)]
    key_file: Path | None = None
    key_variable: str | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30.0
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    characters_per_day: Annotated[int, Field(ge=0)] = 200_000
    languages: dict[str, str] = {}
    _key: str = PrivateAttr("")

    @model_validator(mode="after")
    def _with_key(self) -> "HttpService":
        if self.key_file is not None and self.key_variable is not None:
            raise ValueError("give key_file or key_variable")
        if self.key_file is not None:
            try:
                self._key = read_secret(self.key_file)
            except OSError as error:
                raise ValueError(f"{self.key_file} cannot be read: {error.strerror}") from None
        elif self.key_variable is not None:
            self._key = variable_value(self.key_variable) or ""
        if not self._key and (self.key_file or self.key_variable):
            raise ValueError("the key is empty; write it to the file, or set the variable")
        if not (self._key.isascii() and self._key.isprintable()):
            raise ValueError("the key is a line of visible ASCII characters")
        return self

    @property
    def key(self) -> str:
        """The service's key, empty without one. No `repr` shows it."""
        return self._key

    def language(self, code: str) -> str:
        """The service's code for a language."""
        return self.languages.get(code, code)

    def fingerprint(self) -> str:
        """SHA-256 of all that decides on translations, without the key."""
        limits = {"key_file", "key_variable", "timeout_seconds", "attempts", "characters_per_day"}
        return sha256(json.dumps(self.model_dump(exclude=limits), sort_keys=True, default=str).encode()).hexdigest()


class LibreTranslate(HttpService):
    """LibreTranslate's protocol: texts go in groups of at most `request_characters`, a longer text alone."""

    protocol: Literal["libretranslate"]
    request_characters: Annotated[int, Field(ge=1)] = 2000


class Template(HttpService):
    """JSON over HTTP, one text in a request, and a JSON pointer to the translation in the answer.

    Texts of `body` may have the places ``{text}``, ``{source}``, ``{target}`` and ``{key}``, those of `headers` not the text. Logs
    may show the `query`, so it has only places of languages.
    """

    protocol: Literal["json"]
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    body: dict[str, Any] | list[Any]
    translation: Annotated[str, AfterValidator(check_pointer)]

    @model_validator(mode="after")
    def _with_text(self) -> "Template":
        if not has_place(self.body, "text"):
            raise ValueError('a text of body contains {text}, as in body = { q = "{text}" }')
        if has_place(self.headers, "text") or has_place(self.query, "text") or has_place(self.query, "key"):
            raise ValueError("headers have no {text}, and query has neither {text} nor {key}")
        return self


Service = LoadedSystem | HttpService
SERVICES: Final = TypeAdapter(dict[PlainName, Annotated[LibreTranslate | Template | LoadedSystem, Field(discriminator="protocol")]])


def open_services(settings: Settings) -> Mapping[str, Service]:
    """Services of the settings by name; InputError names the file and the first wrong place."""
    path = settings.translation_services
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise InputError("invalid-request", f"{path} is larger than a megabyte", (SETTING,))
        return SERVICES.validate_python(tomllib.loads(raw.decode()))
    except OSError as error:
        raise InputError("invalid-request", f"{path} cannot be read: {error.strerror}", (SETTING,)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        # Errors of TOML name lines and no values.
        raise InputError("invalid-request", f"{path} is no TOML: {error}", (SETTING,)) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError("invalid-request", f"{path}, {place}: {explain_fault(first)}", (SETTING,)) from None
