"""Every setting, its environment variable and its default (docs/run/settings.md lists them all)."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, DirectoryPath, Field, FilePath, model_validator

from app.running.logs import LogFormat, LogLevel
from app.running.processors import available_processors

__all__ = ["PREFIX", "ROOT", "Settings", "read_secret", "unknown_variables", "variable_value"]

ROOT = Path(__file__).resolve().parent.parent
# First letters of the variables of all settings.
PREFIX: Final = "ASSAY_"
# Processes that answer requests by default on a machine with more cores.
MOST_PROCESSES: Final = 4


def _variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def read_secret(path: Path) -> str:
    """Text of a file without blanks around it; ValueError if it is not UTF-8, OSError if it cannot be read."""
    try:
        return path.read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError(f"the file {path.name} is not UTF-8 text") from None


class Settings(BaseModel):
    """Settings of one process.

    Each setting is an argument, or a variable (``ASSAY_`` and its name in capitals), or a file in `secrets_dir`, in this order.
    """

    model_config = ConfigDict(extra="ignore")

    key: str = Field("", description="Key of commands for a server that requires one", repr=False)
    secrets_dir: DirectoryPath | None = Field(
        None, description="Folder of files with settings, named like variables, as assay_database_url; variables take precedence"
    )
    host: str = Field("127.0.0.1", description="Address to listen on")
    port: Annotated[int, Field(ge=0, le=65535, description="Port to listen on")] = 8000
    processes: Annotated[int, Field(ge=1, le=64)] | None = Field(
        None, description="Processes that answer requests; by default one for each core, at most 4, and 1 without Linux"
    )
    data_dir: Path = Field(ROOT / "data", description="Folder of all state: database, models trained here, resources built here")
    resources_dir: Path = Field(ROOT / "resources", description="Folder of the language resources that ship")
    models_dir: Path = Field(ROOT / "models", description="Folder of the predictors that ship")
    database_url: str = Field("", description="SQLAlchemy URL; empty means SQLite in data_dir")
    database_connections: Annotated[
        int, Field(ge=2, le=1000, description="Most connections of one process, server or worker, to the database")
    ] = 15
    database_wait_seconds: Annotated[
        float, Field(ge=0.1, le=3600, description="Seconds to wait for a connection to the database")
    ] = 10.0
    workers: Annotated[int, Field(ge=0, le=64, description="Processes that execute jobs; 0 leaves jobs queued")] = 1
    cluster: str = Field(
        "", description="Cluster of Ray whose machines run the workers: `auto`, or as `ray://host:10001`; empty means this machine"
    )
    worker_pairs: str = Field(
        "",
        description="Language pairs whose jobs these processes take and whose models they load, as `ro-en,en-de`; jobs without a "
        "pair too; empty means all",
    )
    model_store: str = Field(
        "", description="Store of models and promotions that machines share: a folder, or as `s3://bucket/assay`; empty for none"
    )
    max_body_bytes: Annotated[int, Field(ge=1024, description="Largest request body, in bytes")] = 16_000_000
    max_upload_bytes: Annotated[
        int,
        Field(ge=1024, description="Largest form with files of POST /v1/jobs and /v1/files, in bytes; their JSON is another body"),
    ] = 128_000_000
    max_segments: Annotated[int, Field(ge=1, description="Most segments (or candidates) in one request")] = 2000
    max_score_segments: Annotated[
        int, Field(ge=1, description="Most segments, over all systems and references, in one POST /v1/score")
    ] = 100_000
    max_job_segments: Annotated[int, Field(ge=1, description="Most segments in one job, over all its lists")] = 2_000_000
    max_segment_characters: Annotated[int, Field(ge=1, description="Most characters in one segment")] = 20_000
    max_systems: Annotated[int, Field(ge=1, description="Most systems, references or candidates per segment")] = 64
    sentencepiece_model: Path | None = Field(None, description="Model file of the tokeniser `spm`")
    metric_files: DirectoryPath | None = Field(
        None,
        description="Folder of files of metrics: `flores101.model`, `flores200.model`, and folders of METEOR's tables in `meteor`",
    )
    encoder: Literal["auto", "none"] = Field(
        "auto", description="`auto` reads texts with the cross-encoder, for the profile `accurate`; `none` never does"
    )
    encoder_threads: Annotated[int, Field(ge=1, le=64)] | None = Field(
        None, description="Threads that read texts with networks; by default 2, or 1 on a machine with one core"
    )
    checkpoints: Path | None = Field(
        None, description="Folder of imported checkpoints of neural metrics, one folder each; None means that there are none"
    )
    chunk_segments: Annotated[int, Field(ge=1, description="Segments that a job finishes and saves at a time")] = 500
    profile: Literal["fast", "accurate"] = Field(
        "accurate", description="Default profile of requests: accurate also asks a cross-encoder, if one is loaded"
    )
    tagging_process: bool = Field(True, description="Tag words in a process of its own, so that requests wait less")
    linear_taggers: str = Field(
        "auto",
        description="Languages that Assay's linear tagger tags instead of UDPipe, as `de,en`, or `all`, or `none`; "
        "`auto` selects languages with a linear tagger built for their UDPipe model",
    )
    max_waiting_requests: Annotated[
        int, Field(ge=1, description="Requests to /v1 at one time, beyond which more are answered 503 with Retry-After")
    ] = 128
    max_client_requests: Annotated[
        int, Field(ge=1, description="Requests to /v1 of one address with one key at one time, beyond which more are answered 429")
    ] = 64
    body_seconds: Annotated[
        float, Field(gt=0, description="Seconds that a body may take to come, beside what its length takes")
    ] = 20.0
    body_bytes_per_second: Annotated[int, Field(ge=1, description="Slowest rate at which the bytes of a body may come")] = 50_000
    max_queued_jobs: Annotated[
        int, Field(ge=0, description="Jobs that wait, of all owners, beyond which more are answered 503; 0 is no limit")
    ] = 10_000
    quota_rates: str = Field(
        "",
        description="Limits of all keys of one owner together, as `10000 segments/minute, 2000000 characters/day`; empty means all",
    )
    quota_jobs_at_once: Annotated[int, Field(ge=0, description="Jobs of one owner that wait or run; 0 is no limit")] = 0
    quota_stored_bytes: Annotated[
        int, Field(ge=0, description="Bytes of jobs and feedback that one owner keeps in the database; 0 is no limit")
    ] = 0
    allow_anonymous: bool = Field(False, description="Let everybody do everything while there is no key, also from other machines")
    metrics_open: bool = Field(False, description="Let everybody read /metrics, also where keys are needed")
    docs_open: bool = Field(False, description="Let everybody read /docs and /openapi.json, also where keys are needed")
    hosts: str = Field(
        "",
        description="Names by which the service may be called (Host), with commas between; empty means any, but this machine's own "
        "alone while nobody needs a key",
    )
    trusted_proxies: str = Field(
        "", description="Addresses and networks of proxies whose X-Forwarded- headers are believed, with commas between"
    )
    proxy_user_header: str = Field(
        "", description="Header in which trusted proxies name the user whom they have signed in; empty means that none does"
    )
    proxy_user_scopes: str = Field("quality,score,jobs,feedback", description="Scopes of users signed in by a proxy")
    proxy_admins: str = Field("", description="Users signed in by a proxy who may do everything, with commas between")
    max_call_work: Annotated[
        int, Field(ge=1, description="Most work of one call, in pairs of characters; a call beyond it is refused")
    ] = 50_000_000_000
    call_seconds: Annotated[float, Field(gt=0, description="Seconds of work on a call before it is answered 503")] = 60.0
    max_recipe_bytes: Annotated[
        int, Field(ge=1, description="Most bytes of all files of a recipe's job, those that it came in and those that it makes")
    ] = 2_000_000_000
    max_step_seconds: Annotated[float, Field(gt=0, description="Limit of seconds for a step of a recipe's job")] = 3600.0
    max_step_memory_bytes: Annotated[
        int, Field(ge=100_000_000, description="Most bytes of memory that a step of a recipe's job may take")
    ] = 4_000_000_000
    translation_services: FilePath | None = Field(
        None, description="File (TOML) of the translation services that requests may name; None means that there are none"
    )
    keep_translations_days: Annotated[
        float, Field(gt=0, description="Days after which a stored translation of a service is deleted")
    ] = 30.0
    stored_translations: Annotated[
        int, Field(ge=0, description="Translations of services that are stored for later requests; the oldest are deleted first")
    ] = 100_000
    cors_origins: str = Field("", description="Origins that may call from a browser, with commas between; empty means none")
    webhook_hosts: str = Field("", description="Hosts (or host:port) that may be told of the end of jobs; empty means none")
    webhook_secret: str = Field("", description="Key by which webhooks are signed; needed where hosts are named", repr=False)
    log_format: LogFormat = Field("text", description="Form of the log: text, or json, one object a line")
    log_level: LogLevel = Field("info", description="Least weight of what is logged: debug, info, warning or error")
    access_log: bool | None = Field(None, description="Log a line per request; where it is not set, as the log is json")
    otel: bool = Field(False, description="Send traces to an OpenTelemetry collector; needs the extra otel")
    lease_seconds: Annotated[float, Field(ge=1, le=86400, description="Silence after which a job is taken from its worker")] = 30.0
    drain_seconds: Annotated[float, Field(ge=0, description="Seconds that a stopping server waits for requests and workers")] = 20.0
    min_free_bytes: Annotated[
        int, Field(ge=0, description="Free bytes of a disk below which nothing new is taken, and the server is not ready")
    ] = 32_000_000
    keep_results_days: Annotated[
        float | None, Field(gt=0, description="Days after its end when a job's result is deleted; None keeps it")
    ] = None
    keep_uploads_days: Annotated[
        float | None, Field(gt=0, description="Days after a job's end when the texts and files that it came with are deleted")
    ] = None
    keep_feedback_days: Annotated[float | None, Field(gt=0, description="Days after which feedback is deleted")] = None
    secure_delete: bool = Field(False, description="Overwrite what is deleted in SQLite's file, and empty its log")

    @model_validator(mode="before")
    @classmethod
    def _with_variables(cls, arguments: dict[str, Any]) -> dict[str, Any]:
        variables = {name.upper(): value for name, value in os.environ.items()}
        folder = arguments.get("secrets_dir") or variables.get(f"{PREFIX}SECRETS_DIR")
        # Validation reports a missing folder with the other settings.
        if folder and Path(folder).is_dir():
            files = {path.name.upper(): path for path in Path(folder).iterdir() if path.is_file()}
            missing = [name for name in cls.model_fields if name not in arguments and _variable(name) not in variables]
            secrets = {_variable(name): read_secret(files[_variable(name)]) for name in missing if _variable(name) in files}
            variables = {**secrets, **variables}
        return {**{name: variables[_variable(name)] for name in cls.model_fields if _variable(name) in variables}, **arguments}

    @property
    def sqlalchemy_url(self) -> str:
        """SQLAlchemy URL of the database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'assay.sqlite3'}"

    @property
    def logs_requests(self) -> bool:
        """Return True if the log has a line per request."""
        return self.log_format == "json" if self.access_log is None else self.access_log

    @property
    def encoding_threads(self) -> int:
        """Number of threads that read texts with networks."""
        return self.encoder_threads or min(2, available_processors())

    @property
    def answering_processes(self) -> int:
        """Number of processes that answer requests. They share memory by fork, which only Linux does safely."""
        return self.processes or (min(MOST_PROCESSES, available_processors()) if sys.platform == "linux" else 1)

    @property
    def pairs_of_workers(self) -> tuple[str, ...]:
        """Language pairs of `worker_pairs`."""
        return tuple(pair.strip() for pair in self.worker_pairs.split(",") if pair.strip())

    @property
    def trained_models_dir(self) -> Path:
        """Folder of predictors trained by jobs."""
        return self.data_dir / "models"

    @property
    def own_resources_dir(self) -> Path:
        """Folder of resources that were built here."""
        return self.data_dir / "resources"

    @property
    def steps_dir(self) -> Path:
        """Folder of steps of recipes while a worker runs them."""
        return self.data_dir / ".steps"

    @property
    def workers_dir(self) -> Path:
        """Folder of the heartbeats of worker processes."""
        return self.data_dir / "workers"


def variable_value(name: str) -> str | None:
    """Value of a variable of the environment that a file of settings names, or None."""
    return os.environ.get(name)


def unknown_variables() -> list[str]:
    """Sorted environment variables that look like settings but are unknown."""
    settings = {f"{PREFIX}{name.upper()}" for name in (*Settings.model_fields, "server")}
    return sorted(name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in settings)
