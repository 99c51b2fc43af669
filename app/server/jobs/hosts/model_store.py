"""Models of several machines: saved in a store that all reach, and copied to the folder of each."""

import fcntl
import hashlib
import json
import logging
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from app.errors import InputError, is_disk_full
from app.registry.artifacts import ArtifactStore, LocalArtifacts, Write
from app.registry.promotions import ENTRIES, Promotion, Promotions
from app.resources.manifest import checksum
from app.scale.files.places import check_address, files_in, place_of, read_json, whole_file, write_json
from app.server.store.database import DatabaseUnavailableError

__all__ = ["SYNCHRONISE_SECONDS", "ModelStore", "SharedArtifacts", "StoreUnavailableError"]

log = logging.getLogger("assay")
# Between two looks of a server.
SYNCHRONISE_SECONDS: Final = 5.0
# Record of the contents that this machine has copied, and the lock of its processes, beside the models: no name begins so.
COPIES: Final = ".copies.json"
LOCK: Final = ".copies.lock"


class StoreUnavailableError(DatabaseUnavailableError):
    """The store of models does not answer; a step that needs it is tried again, as with the database."""

    def __init__(self, detail: str = "the store of models does not answer") -> None:
        super().__init__("database-unavailable", detail)


@dataclass(frozen=True)
class StoredModel:
    """Digests of the files of a model by their names, and the digest of all, which is the name of their folder."""

    digest: str
    files: Mapping[str, str]


STORED_MODELS: Final = TypeAdapter(StoredModel)


class ModelStore:
    """The folder of models of one machine, and the store at an address, a folder or as ``s3://bucket/assay``.

    The store has ``models/NAME.json``, which lists the files of a model by their digests and appears when all are there, and
    ``promotions/ID.json``, one for each promotion. Removed models stay in the store. InputError for an address whose package is
    not installed.
    """

    def __init__(self, folder: Path, address: str) -> None:
        check_address(address)
        self._folder = folder
        self._address = address.rstrip("/")
        self._local = LocalArtifacts(folder)
        self._promotions = Promotions(folder)
        self._warnings: set[str] = set()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes and threads of this machine from copying models."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / LOCK).open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def save(self, name: str, model: Path) -> None:
        """Copy the files of a model to the store; StoreUnavailableError if it does not answer."""
        files = {str(path.relative_to(model)): checksum(path) for path in sorted(model.rglob("*")) if path.is_file()}
        digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:32]
        with _errors_of_store():
            for file in files:
                with whole_file(f"{self._address}/models/{name}/{digest}/{file}") as target, (model / file).open("rb") as source:
                    shutil.copyfileobj(source, target)
            write_json(f"{self._address}/models/{name}.json", asdict(StoredModel(digest, files)))

    def synchronise(self) -> None:
        """Copy models and promotions that this machine lacks, and give its promotions to the store.

        Damaged ones are passed over with a warning. StoreUnavailableError if the store does not answer.
        """
        with _errors_of_store(), self.lock():
            self._copy_models()
            self._exchange_promotions()

    def _copy_models(self) -> None:
        record = str(self._folder / COPIES)
        copies: dict[str, str] = {}
        with suppress(InputError, ValueError):
            copies = read_json(record)
        for name, address in self._names("models").items():
            state = place_of(address).state
            if copies.get(name) == state:
                continue
            with self._damage_passed_over(f"models/{name}"):
                self._copy(name, STORED_MODELS.validate_python(read_json(address)))
                copies[name] = state
                write_json(record, copies)

    def _copy(self, name: str, model: StoredModel) -> None:
        existing = self._local.folder(name)
        if any(Path(file).is_absolute() or ".." in Path(file).parts for file in model.files):
            raise ValueError("it names files outside")
        if all((existing / file).is_file() and checksum(existing / file) == digest for file, digest in model.files.items()):
            return

        def fill(folder: Path) -> None:
            for file, digest in model.files.items():
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                address = f"{self._address}/models/{name}/{model.digest}/{file}"
                with place_of(address).open() as source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
                if checksum(path) != digest:
                    raise ValueError(f"{file} is damaged")

        self._local.save(name, fill, replace=True)

    def _exchange_promotions(self) -> None:
        local = {_id(entry): entry for entry in self._promotions.entries()}
        stored = self._names("promotions")
        for id in local.keys() - stored.keys():
            write_json(f"{self._address}/promotions/{id}.json", asdict(local[id]))
        for id in sorted(stored.keys() - local.keys()):
            with self._damage_passed_over(f"promotions/{id}"):
                entry = ENTRIES.validate_python(read_json(stored[id]))
                # Under another id it would come again and again.
                if _id(entry) != id:
                    raise ValueError("its content has another digest than its name")
                self._promotions.merge([entry])

    @contextmanager
    def _damage_passed_over(self, name: str) -> Iterator[None]:
        """Warn once of an object that cannot be used. An error is that of the store if it does not list its objects now."""
        try:
            yield
        except (InputError, OSError, ValueError) as error:
            if is_disk_full(error):
                raise
            self._names("models")
            warning = f"{name} of the store of models is passed over: {_reason(error)}"
            if warning not in self._warnings:
                self._warnings.add(warning)
                log.warning("%s", warning)

    def _names(self, kind: str) -> dict[str, str]:
        """Addresses of the objects of a kind by name."""
        return {address.rpartition("/")[2].removesuffix(".json"): address for address in files_in(f"{self._address}/{kind}")}


@contextmanager
def _errors_of_store() -> Iterator[None]:
    """StoreUnavailableError with the reason for any error but that of a full disk here."""
    try:
        yield
    except (InputError, OSError) as error:
        if is_disk_full(error):
            raise
        raise StoreUnavailableError(f"the store of models does not answer: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return error.detail if isinstance(error, InputError) else str(error)


class SharedArtifacts:
    """An `ArtifactStore` whose models are in the store before they appear here."""

    def __init__(self, local: ArtifactStore, store: ModelStore) -> None:
        self._local = local
        self._store = store

    def save(self, name: str, write: Write, replace: bool = False) -> None:
        """See `ArtifactStore`."""

        def publish(folder: Path) -> None:
            write(folder)
            self._store.save(name, folder)

        with self._store.lock():
            self._local.save(name, publish, replace)

    def save_file(self, name: str, write: Write, replace: bool = False) -> None:
        """See `ArtifactStore`; single files stay on this machine."""
        self._local.save_file(name, write, replace)

    def folder(self, name: str) -> Path:
        """See `ArtifactStore`."""
        return self._local.folder(name)

    def names(self) -> list[str]:
        """See `ArtifactStore`."""
        return self._local.names()

    def stamp(self) -> object:
        """See `ArtifactStore`."""
        return self._local.stamp()


def _id(entry: Promotion) -> str:
    return hashlib.sha256(json.dumps(asdict(entry), sort_keys=True).encode()).hexdigest()[:32]
