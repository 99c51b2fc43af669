"""A look at all that a server needs: settings, folders, disks, resources, models, database, keys, port. It changes nothing."""

import difflib
import os
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import httpx2
from sqlalchemy import Engine as Database
from sqlalchemy import inspect, select, text
from threadpoolctl import threadpool_info

from app.errors import InputError
from app.registry.models import ModelRegistry
from app.resources.manifest import checksum, forget_checksums, read_manifest
from app.running.processors import available_processors
from app.server.jobs.presence import is_in_use
from app.server.store import KeyStore
from app.server.store.database import current_revision, known_revisions, newest_revision, open_database
from app.server.store.database.clock import database_now
from app.server.upkeep.backup import database_file
from app.server.upkeep.disk_space import free_bytes
from app.server.upkeep.restoring import restore_is_pending
from app.settings import Settings, unknown_variables

__all__ = ["Finding", "State", "examine"]

State = Literal["ok", "warning", "problem"]
# Limit of the difference of clocks, since ages of keys and results depend on both.
CLOCK_SECONDS: Final = 5.0
TIMEOUT_SECONDS: Final = 5.0
MEGA: Final = 1_000_000


@dataclass(frozen=True)
class Finding:
    """Result of one check; `advice` is the remedy if one is needed."""

    check: str
    state: State
    detail: str
    advice: str = ""


def examine(settings: Settings, local: bool) -> Iterator[Finding]:
    """Look at everything, one after the other; `local` says whether only this machine can reach the server."""
    yield from _settings(settings, local)
    yield from _data_folder(settings)
    yield from _disks(settings)
    yield from _findings("resources", lambda: _resources(settings.resources_dir))
    yield from _findings("own resources", lambda: _own_resources(settings.own_resources_dir))
    yield from _findings("models", lambda: _models(settings))
    yield from _findings("database", lambda: _database(settings, local))
    yield from _findings("port", lambda: _port(settings))
    yield from _threads(settings)


def _findings(check: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Results of a check; a failure of the check itself is a problem too."""
    try:
        yield from look()
    except Exception as error:
        reason = str(error.__cause__ or error).strip().partition("\n")[0]
        yield Finding(check, "problem", f"it cannot be looked at: {type(error).__name__}: {reason}", "see that it is there")


def _settings(settings: Settings, local: bool) -> Iterator[Finding]:
    wrong = [*_unknown(), *_contradictions(settings, local)]
    yield from wrong or [Finding("settings", "ok", "every variable is known, and none contradicts another")]


def _unknown() -> Iterator[Finding]:
    names = [f"ASSAY_{name.upper()}" for name in Settings.model_fields]
    for variable in unknown_variables():
        near = difflib.get_close_matches(variable, names, 1)
        advice = f"did you mean {near[0]}?" if near else "docs/run/settings.md lists those there are"
        yield Finding("settings", "warning", f"{variable} is no setting and does nothing", advice)


def _contradictions(settings: Settings, local: bool) -> Iterator[Finding]:
    sqlite = database_file(settings) is not None
    results, uploads = settings.keep_results_days, settings.keep_uploads_days
    model = settings.sentencepiece_model
    cases: list[tuple[bool, State, str, str]] = [
        (bool(settings.webhook_hosts) != bool(settings.webhook_secret), "warning", "no webhooks are sent",
         "set both ASSAY_WEBHOOK_HOSTS and ASSAY_WEBHOOK_SECRET, or neither"),
        (settings.max_body_bytes > settings.max_upload_bytes, "warning", "a call may be larger than a job",
         "set ASSAY_MAX_UPLOAD_BYTES to at least ASSAY_MAX_BODY_BYTES"),
        (settings.max_client_requests > settings.max_waiting_requests, "warning", "one address may take all places",
         "set ASSAY_MAX_CLIENT_REQUESTS below ASSAY_MAX_WAITING_REQUESTS"),
        (settings.secure_delete and not sqlite, "warning", "ASSAY_SECURE_DELETE does nothing with PostgreSQL",
         "deleted rows are given free by VACUUM"),
        (None not in (results, uploads) and (uploads or 0) > (results or 0), "warning",
         "uploads go with results, before ASSAY_KEEP_UPLOADS_DAYS are over", "set it to at most ASSAY_KEEP_RESULTS_DAYS"),
        (model is not None and not model.is_file(), "problem", "the file of ASSAY_SENTENCEPIECE_MODEL is not there",
         "name one that is, or unset it"),
        (settings.workers == 0, "warning", "no jobs are worked on here", "set ASSAY_WORKERS unless another server does that"),
        (settings.allow_anonymous and not local, "warning", "while there is no key, everybody may do everything",
         "unset ASSAY_ALLOW_ANONYMOUS and make keys"),
        (not local and not settings.hosts, "warning", "the server answers to every name (Host)", "set ASSAY_HOSTS"),
    ]  # fmt: skip
    yield from (Finding("settings", state, detail, advice) for wrong, state, detail, advice in cases if wrong)


def _data_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.data_dir
    if restore_is_pending(settings):
        yield Finding("data folder", "warning", "a restore was cut off", "assay serve brings it to its end")
    if not folder.exists():
        above = next(path for path in folder.absolute().parents if path.exists())
        if os.access(above, os.W_OK):
            yield Finding("data folder", "ok", f"{folder} is made at the first start")
        else:
            yield Finding(
                "data folder", "problem", f"{folder} is not there, and {above} cannot be written to", "set ASSAY_DATA_DIR"
            )
        return
    unreadable_names = [path.name for path in (folder, *folder.iterdir()) if not os.access(path, os.R_OK | os.W_OK)]
    mode = stat.S_IMODE(folder.stat().st_mode)
    if unreadable_names:
        yield Finding(
            "data folder",
            "problem",
            f"{', '.join(sorted(unreadable_names))} cannot be read and written",
            "chown it to whom runs this",
        )
    elif mode & 0o002:
        yield Finding("data folder", "problem", f"everybody on this machine may change {folder}", f"chmod 700 {folder}")
    elif mode & 0o005:
        yield Finding("data folder", "warning", f"everybody on this machine may look into {folder}", f"chmod 700 {folder}")
    else:
        use = "in use by a server" if is_in_use(folder) else "not in use"
        yield Finding("data folder", "ok", f"{folder} can be read and written, by its owner alone; {use}")


def _disks(settings: Settings) -> Iterator[Finding]:
    data = next(path for path in (settings.data_dir, *settings.data_dir.absolute().parents) if path.exists())
    for check, folder in (("disk of data", data), ("disk of temporary files", Path(tempfile.gettempdir()))):
        free = free_bytes(folder)
        if free is None:
            yield Finding(check, "warning", f"{folder} does not say how much is free")
        elif free < settings.min_free_bytes:
            advice = "make room: the server takes nothing new (ASSAY_MIN_FREE_BYTES)"
            yield Finding(check, "problem", f"{free // MEGA} MB free in {folder}", advice)
        elif free < max(10 * settings.min_free_bytes, settings.max_upload_bytes):
            yield Finding(check, "warning", f"{free // MEGA} MB free in {folder}", "make room before long")
        else:
            yield Finding(check, "ok", f"{free // MEGA} MB free in {folder}")


def _resources(root: Path) -> Iterator[Finding]:
    manifests = _manifests(root)
    if not manifests:
        yield Finding("resources", "problem", f"{root} has no resources", "set ASSAY_RESOURCES_DIR")
    yield from _verified("resources", manifests, "copy it again")


def _own_resources(root: Path) -> Iterator[Finding]:
    """Resources built here, if any."""
    yield from _verified("own resources", _manifests(root), "build it again, with --replace, or restore it")


def _manifests(root: Path) -> list[Path]:
    folders = [path for folder in ("*", "*/tagger", "*/system") for path in sorted(root.glob(f"{folder}/manifest.json"))]
    # Names with a leading full stop are files being written.
    return [path for path in folders if not path.relative_to(root).parts[0].startswith(".")]


def _verified(check: str, manifests: Sequence[Path], advice: str) -> Iterator[Finding]:
    files = 0
    broken = []
    for path in manifests:
        try:
            for name, digest in read_manifest(path.parent).files.items():
                files += 1
                if checksum(path.parent / name) != digest:
                    broken.append(Finding(check, "problem", f"{path.parent / name} is not as its checksum says", advice))
        except (InputError, OSError) as error:
            broken.append(Finding(check, "problem", f"{path.parent}: {error}", advice))
    yield from broken
    if manifests and not broken:
        yield Finding(check, "ok", f"{files} files in {len(manifests)} folders are what their checksums say")


def _models(settings: Settings) -> Iterator[Finding]:
    forget_checksums()
    registry = ModelRegistry(settings.models_dir, settings.trained_models_dir)
    # Reading one verifies its shapes and numbers.
    registry.load(networks=settings.encoder == "auto")
    if settings.encoder == "auto" and (network := registry.cross_encoders.first()) is not None:
        yield Finding("encoder", "ok", f"{network.card.id} can be used, so the profile accurate can answer")
    broken = registry.broken
    for name, reason in sorted(broken.items()):
        yield Finding(
            "models", "problem", f"{name} cannot be used: {reason}", "copy it again, train it again, or remove its folder"
        )
    registry.promotions.entries()
    if not registry.entries:
        yield Finding("models", "problem", f"{settings.models_dir} has no models", "set ASSAY_MODELS_DIR, or train some")
    elif not broken:
        yield Finding("models", "ok", f"{len(registry.entries)} models can be used")


def _database(settings: Settings, local: bool) -> Iterator[Finding]:
    file = database_file(settings)
    if file is not None and not file.exists():
        yield Finding("database", "ok", f"{file} is made at the first start")
        return
    database = open_database(settings.sqlalchemy_url, migrate=False)
    try:
        yield from _tables(database)
        if file is not None:
            yield from _integrity(database, file)
        with database.connect() as connection:
            clock_difference = float(connection.scalar(select(database_now())) or 0.0) - time.time()
        late = abs(clock_difference) > CLOCK_SECONDS
        detail = f"the database's clock and this one are {abs(clock_difference):.1f} s apart"
        yield Finding("clock", "warning" if late else "ok", detail, "let both be set by the network (NTP)" if late else "")
        if inspect(database).has_table("api_keys"):
            yield from _keys(KeyStore(database), settings, local)
    finally:
        database.dispose()


def _tables(database: Database) -> Iterator[Finding]:
    revision = current_revision(database)
    if revision == newest_revision():
        yield Finding("database", "ok", f"it answers, and its tables are those of this version ({revision})")
    elif revision is None or revision in known_revisions():
        detail = "it has no tables yet" if revision is None else f"its tables are those of an earlier version ({revision})"
        yield Finding("database", "warning", detail, "the next start brings it up to date; save it before (assay server backup)")
    else:
        yield Finding("database", "problem", "its tables are those of a later version", "run that version of Assay")


def _integrity(database: Database, file: Path) -> Iterator[Finding]:
    with database.connect() as connection:
        verdict = connection.execute(text("PRAGMA quick_check")).scalar()
    if verdict == "ok":
        yield Finding("integrity", "ok", f"{file} is whole ({file.stat().st_size // MEGA} MB)")
    else:
        yield Finding("integrity", "problem", f"{file} is damaged: {verdict}", "restore a backup (assay server restore)")


def _keys(keys: KeyStore, settings: Settings, local: bool) -> Iterator[Finding]:
    all_keys = keys.list()
    valid = [key for key in all_keys if key.valid(time.time())]
    if valid:
        yield Finding("keys", "ok", f"{len(valid)} keys are valid, of {len(all_keys)}")
    elif local or settings.allow_anonymous:
        yield (
            Finding("keys", "ok", "there is no key, and nobody needs one")
            if not all_keys
            else Finding(
                "keys", "warning", "every key was revoked or has expired: nobody can call", "assay server keys create makes another"
            )
        )
    elif all_keys:
        yield Finding("keys", "problem", "every key was revoked or has expired", "assay server keys create makes another")
    else:
        yield Finding("keys", "ok", "the first start makes a key and prints it")


def _port(settings: Settings) -> Iterator[Finding]:
    place = f"{settings.host}:{settings.port}"
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except PermissionError:
            yield Finding("port", "problem", f"{place} may not be listened on", "choose a port from 1024 on (ASSAY_PORT)")
            return
        except OSError:
            yield _who_answers(settings, place)
            return
    yield Finding("port", "ok", f"{place} is free")


def _who_answers(settings: Settings, place: str) -> Finding:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    address = f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"
    try:
        answer = httpx2.get(f"{address}/health/ready", timeout=TIMEOUT_SECONDS, trust_env=False)
        fields = answer.json()
        if fields == {"status": "ok"}:
            return Finding("port", "ok", f"Assay answers at {place}, and is ready")
        return Finding("port", "warning", f"Assay answers at {place}, and is not ready: {fields['detail']}", "see its log")
    except (httpx2.HTTPError, ValueError, KeyError, TypeError):
        return Finding(
            "port", "problem", f"{place} is taken by something else, or is no address here", "set ASSAY_PORT or ASSAY_HOST"
        )


def _threads(settings: Settings) -> Iterator[Finding]:
    threads = max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
    cores, processes = available_processors(), settings.workers + settings.answering_processes
    detail = f"{threads} threads of BLAS in each of {processes} processes, on {cores} cores"
    if threads * processes > 2 * cores:
        yield Finding("threads", "warning", detail, f"set OPENBLAS_NUM_THREADS={max(1, cores // processes)}")
    else:
        yield Finding("threads", "ok", detail)
