"""Models of several machines: saved in a store that all reach, and copied to the folder of each."""

import hashlib
import json
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.registry.artifacts import ArtifactStore, LocalArtifacts, Write
from app.registry.promotions import Promotion, Promotions
from app.scale.files.places import files_in, place_of, whole_file
from app.server.store.database import DatabaseUnavailableError

__all__ = ["ModelStore", "SharedArtifacts", "StoreUnavailableError"]

# Record of the contents that this machine has copied, beside the models; it begins as no name does.
COPIES: Final = ".copies.json"


class StoreUnavailableError(DatabaseUnavailableError):
    """The store of models does not answer; a step that needs it is tried again, as with the database."""

    def __init__(self, detail: str = "the store of models does not answer") -> None:
        super().__init__("database-unavailable", detail)


class ModelStore:
    """The folder of models of one machine, and the store at an address, a folder or as ``s3://bucket/assay``.

    The store has ``models/NAME.json``, which lists the files of a model by their digests and appears when all are there, and
    ``promotions/ID.json``, one for each promotion. Removed models stay in the store.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self._folder = folder
        self._address = address.rstrip("/")
        self._local = LocalArtifacts(folder)
        self._promotions = Promotions(folder)
        self._lock = threading.Lock()

    def save(self, name: str, model: Path) -> None:
        """Copy the files of a model to the store; StoreUnavailableError if it does not answer."""
        files = {str(path.relative_to(model)): _digest(path) for path in sorted(model.rglob("*")) if path.is_file()}
        manifest = json.dumps(files, indent=1)
        digest = hashlib.sha256(manifest.encode()).hexdigest()[:32]
        try:
            for file in files:
                with whole_file(f"{self._address}/models/{name}/{digest}/{file}") as target, (model / file).open("rb") as source:
                    shutil.copyfileobj(source, target)
            with whole_file(f"{self._address}/models/{name}.json") as target:
                target.write(json.dumps({"digest": digest, "files": files}).encode())
        except (InputError, OSError) as error:
            raise StoreUnavailableError(f"the store of models does not answer: {error}") from None

    def synchronise(self) -> None:
        """Copy models and promotions that this machine lacks, and give its promotions to the store."""
        with self._lock:
            try:
                self._copy_models()
                self._exchange_promotions()
            except (InputError, OSError) as error:
                raise StoreUnavailableError(f"the store of models does not answer: {error}") from None

    def _copy_models(self) -> None:
        record = self._folder / COPIES
        copies: dict[str, str] = json.loads(record.read_text()) if record.exists() else {}
        for name, address in self._names("models").items():
            state = place_of(address).state
            if copies.get(name) != state:
                self._copy(name, _read(address))
                copies[name] = state
                with whole_file(str(record)) as file:
                    file.write(json.dumps(copies).encode())

    def _copy(self, name: str, manifest: dict[str, Any]) -> None:
        existing = self._local.folder(name)
        if any(Path(file).is_absolute() or ".." in Path(file).parts for file in manifest["files"]):
            raise InputError("invalid-request", f"{name}.json of the store of models names files outside", (name,))
        if existing.is_dir() and all(
            (existing / file).is_file() and _digest(existing / file) == digest for file, digest in manifest["files"].items()
        ):
            return
        with tempfile.TemporaryDirectory() as folder:
            for file, digest in manifest["files"].items():
                path = Path(folder) / file
                path.parent.mkdir(parents=True, exist_ok=True)
                with (
                    place_of(f"{self._address}/models/{name}/{manifest['digest']}/{file}").open() as source,
                    path.open("wb") as target,
                ):
                    shutil.copyfileobj(source, target)
                if _digest(path) != digest:
                    raise StoreUnavailableError(f"{name}/{file} of the store of models is damaged")

            def fill(target: Path) -> None:
                shutil.copytree(folder, target, dirs_exist_ok=True)

            self._local.save(name, fill, replace=True)

    def _exchange_promotions(self) -> None:
        local = {_id(entry): entry for entry in self._promotions.entries()}
        stored = self._names("promotions")
        for id in local.keys() - stored.keys():
            with whole_file(f"{self._address}/promotions/{id}.json") as file:
                file.write(json.dumps(local[id].__dict__).encode())
        foreign = [Promotion(**_read(stored[id])) for id in stored.keys() - local.keys()]
        if foreign:
            self._promotions.merge(foreign)

    def _names(self, kind: str) -> dict[str, str]:
        """Addresses of the objects of a kind by name."""
        return {address.rpartition("/")[2].removesuffix(".json"): address for address in files_in(f"{self._address}/{kind}")}


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


def _read(address: str) -> dict[str, Any]:
    with place_of(address).open() as file:
        content: dict[str, Any] = json.loads(file.read())
    return content


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _id(entry: Promotion) -> str:
    return hashlib.sha256(json.dumps(entry.__dict__, sort_keys=True).encode()).hexdigest()[:32]
