"""Access of one caller to jobs: own jobs, or all jobs for administrators."""

import hashlib
import re
from collections.abc import AsyncIterator, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

import anyio.to_thread

from app import __version__
from app.documents import FILE_FORMATS
from app.engine import Engine
from app.errors import InputError
from app.operations.annotate import annotated
from app.operations.catalogue import OPERATIONS
from app.operations.job_files import FILES, MadeFile, made_file
from app.operations.judgements.corrections import Correction
from app.operations.operation import Json, Plan, Planning
from app.operations.parts.fields import in_loaded_languages
from app.operations.parts.from_files import plan_files
from app.operations.parts.limits import RequestLimits
from app.operations.validation import check_size
from app.running.deadline import awaited
from app.running.rates import Quota
from app.running.tracing import traceparent_here
from app.server.jobs import FORMATS, blocks_of, check_webhook, memory_stream, result_stream
from app.server.service.auditing import actor_of
from app.server.service.authentication import Caller
from app.server.service.corrections import check_kind
from app.server.service.job_requests import JobForm, JobRequest, Result, ResultForm, StoredJobFiles
from app.server.service.permission import check_job, check_request, priority_of, sees_job
from app.server.service.quotas import Charging, Quotas
from app.server.service.service import Service
from app.server.store import (
    FINAL_STATES,
    HIGH,
    NORMAL,
    CorrectionStore,
    DatabaseUnavailableError,
    FeedbackStore,
    JobAdmission,
    JobOrigin,
    JobView,
    Priority,
    no_job,
)
from app.settings import Settings

__all__ = ["POLL_SECONDS", "RESULT_FORMATS", "JobAccess"]

T = TypeVar("T")
KEY: Final = re.compile(r"[\x21-\x7e]{1,200}")
LONGEST_OWNER: Final = 100
POLL_SECONDS: Final = 0.2
# Formats of results and their media types; a document has its own.
RESULT_FORMATS: Final = {**FORMATS, "tmx": FILE_FORMATS["tmx"].media_type, "annotated": ""}


class JobAccess:
    """The jobs of a service as one caller sees them."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self.caller = caller
        # Client among whom turns are taken; a person may have several.
        self.client: Hashable = caller.name
        self._charged: Charging | JobAdmission | None = None

    @property
    def quotas(self) -> Quotas:
        """Limits of callers and their usage."""
        return self._service.quotas

    @property
    def standing(self) -> tuple[Quota, ...]:
        """Rates in force for the present request, with their remainders."""
        return self._charged.quotas if self._charged is not None else ()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._service.settings

    @property
    def engine(self) -> Engine:
        """The loaded engine, with the models that the caller may see; InputError while there is none."""
        return self._service.engine_for(self.caller)

    @property
    def translation_services(self) -> tuple[str, ...]:
        """Names of the translation services that requests may name."""
        return self._service.translation_services

    def require(self, scope: str) -> None:
        """InputError if the caller's key lacks a scope."""
        self.caller.require(scope)

    @property
    def limits(self) -> RequestLimits:
        """Limits of a call."""
        return RequestLimits.of_calls(self.settings)

    @property
    def feedback(self) -> FeedbackStore:
        """Stored feedback of the caller, or of all owners for administrators."""
        feedback = self._service.stores.feedback
        if self.caller.is_admin:
            return feedback
        return feedback.of(self.caller.owner, self.quotas.room_of(self.caller).stored_bytes)

    def submit(self, raw: bytes, content: Any, key: str | None) -> JobView:
        """Queue the job of a JSON body, `raw` as it was sent; a repeated key gives the job that was made before."""
        fields = content if isinstance(content, dict) else {}
        owner, webhook = (value if isinstance(value, str) else None for value in (fields.get("owner"), fields.get("webhook")))
        priority = priority_of(self.caller, fields.get("priority"))
        origin = self._origin(owner, webhook, key, hashlib.sha256(raw).hexdigest() if key else None, priority)
        return self._repeated(origin) or self._queue(self._plan(content), origin)

    def submit_form(self, form: JobForm, key: str | None) -> JobView:
        """Queue the job of a form while its files are open."""
        priority = priority_of(self.caller, form.priority)
        origin = self._origin(form.owner, form.webhook, key, form.digest() if key else None, priority)
        repeated_job = self._repeated(origin)
        if repeated_job is not None:
            return repeated_job
        urgency = {} if form.priority is None else {"priority": form.priority}
        request = JobRequest.model_validate({"kind": form.kind, "params": form.params, **urgency})
        check_job(self.caller, OPERATIONS[request.kind], request.params)
        plan = plan_files(OPERATIONS[request.kind], self._planning(), request.params, form.files, form.names, form.header)
        return self._queue(plan, origin)

    def _repeated(self, origin: JobOrigin) -> JobView | None:
        """The job of an earlier identical request; without one, QuotaError if there is no room for a job."""
        repeated_job = self._service.stores.jobs.repeated(origin)
        if repeated_job is None:
            self.quotas.check_room(self.caller, origin.owner)
        elif not self._sees(repeated_job.kind, repeated_job.params):
            raise no_job()
        return repeated_job

    def _sees(self, kind: str, params: Json) -> bool:
        return sees_job(self.caller, kind, params)

    def _queue(self, plan: Plan, origin: JobOrigin) -> JobView:
        plan, self._charged = self.quotas.admission(self.caller, origin.owner, plan)
        return self._service.stores.jobs.create(plan, origin, self._charged)

    def _plan(self, content: Any) -> Plan:
        """Validate and plan: the same checks as the operation's own call, larger limits. Nothing is queued yet."""
        job = JobRequest.model_validate(content)
        operation, planning = OPERATIONS[job.kind], self._planning()
        assert operation.steps is not None
        self.require(operation.scope)
        check_size(job.params, planning.limits.segments)
        request = operation.request.model_validate(job.params)
        check_request(self.caller, operation, request)
        request = in_loaded_languages(planning.engine, request)
        operation.check(request, planning.limits)
        return operation.steps.split(planning, request)

    def _planning(self) -> Planning:
        settings = self.settings
        stored = StoredJobFiles(self, self.quotas.room_of(self.caller).stored_bytes)
        limits, is_trusted = RequestLimits.of_jobs(settings), self.caller.is_admin
        translators = self._service.translators.of(self.caller.owner)
        return Planning(self.engine, limits, settings.chunk_segments, self.feedback, stored, is_trusted, translators)

    def _origin(self, owner: str | None, webhook: str | None, key: str | None, digest: str | None, priority: Priority) -> JobOrigin:
        if key is not None and not KEY.fullmatch(key):
            detail = "an Idempotency-Key is 1 to 200 visible characters of ASCII"
            raise InputError("invalid-request", detail, ("Idempotency-Key",))
        self.require("jobs")
        self._service.stores.disk_space.require()
        if owner is not None and owner != self.caller.owner and not self.caller.is_admin:
            raise InputError("forbidden", "a job belongs to the owner of the key; leave its owner out", ("owner",))
        if owner is not None and (len(owner) > LONGEST_OWNER or not owner.isprintable()):
            raise InputError("invalid-request", f"an owner is a name of at most {LONGEST_OWNER} characters", ("owner",))
        if webhook is not None:
            check_webhook(webhook, self.settings.webhook_hosts if self.settings.webhook_secret else "")
        return JobOrigin(owner or self.caller.owner, key, digest, webhook, priority, actor_of(self.caller), traceparent_here())

    def job(self, name: str) -> JobView:
        """A job of the caller; InputError for an unknown id."""
        self.require("jobs")
        job = self._service.stores.jobs.get(name)
        if not ((self.caller.is_admin or job.owner == self.caller.owner) and self._sees(job.kind, job.params)):
            raise no_job()
        return self._service.auditing.read_job(self.caller, "job", job)

    def list_jobs(self, limit: int, after: str | None, state: str | None, kind: str | None) -> Sequence[JobView]:
        """The caller's jobs, newest first; all owners' jobs for an administrator."""
        self.require("jobs")
        if after is not None:
            self.job(after)
        owner, visible = None if self.caller.is_admin else self.caller.owner, None if self.caller.pairs is None else self._sees
        jobs = self._service.stores.jobs.list(limit, after, state, kind, owner, visible)
        return self._service.auditing.read_jobs(self.caller, jobs)

    def retry(self, name: str) -> JobView:
        """A new job that continues a failed or cancelled one."""
        job = self.job(name)
        check_job(self.caller, OPERATIONS[job.kind], job.params)
        self._service.stores.disk_space.require()
        self._charged = room = self.quotas.readmission(self.caller, job.owner, job.kind, self._service.stores.jobs.left(job.id))
        # High priority set by an administrator does not carry over to another caller's retry.
        priority = job.priority if self.caller.is_admin or job.priority != HIGH else NORMAL
        return self._service.stores.jobs.retry(job.id, room, actor_of(self.caller), traceparent_here(), priority)

    def cancel(self, name: str) -> JobView:
        """Cancel a job that is not finished."""
        return self._service.stores.jobs.cancel(self.job(name).id, actor_of(self.caller))

    def remove(self, name: str) -> JobView:
        """Delete a finished job and all it holds."""
        removed_job = self._service.stores.jobs.remove(self.job(name).id, actor_of(self.caller))
        self._service.stores.forgetting.make_sure()
        return removed_job

    async def follow(self, job: JobView) -> AsyncIterator[JobView]:
        """The job as it is, again and again, until it has ended or the service stops."""
        while not self._service.stopping.is_set():
            yield job
            if job.state in FINAL_STATES:
                return
            await anyio.sleep(POLL_SECONDS)
            try:
                if not await self._service.is_open_to(self.caller):
                    return
                job = await anyio.to_thread.run_sync(self.job, job.id)
            except DatabaseUnavailableError:
                # A stream of events survives an outage of the database.
                continue

    def rows(self, name: str) -> Iterator[Json]:
        """The rows of a job's finished chunks; after the job's end they have values that depend on all rows."""
        job = self._service.auditing.read_job(self.caller, "result", self.job(name))
        steps = OPERATIONS[job.kind].steps if job.kind in OPERATIONS else None
        amend, summary = None if steps is None else steps.amend, job.summary
        rows = awaited(row for output in self._service.stores.jobs.outputs(job.id) for row in output["rows"])
        return rows if amend is None or summary is None else map(amend(summary), rows)

    def published(self, name: str, what: str) -> Any:
        """Value that a job published before its end; None without one, InputError if it is deleted."""
        job = self.job(name)
        job.check_kept()
        return self._service.stores.jobs.published(job.id, what)

    def files(self, name: str) -> list[MadeFile]:
        """The files of a job by name: its input, and the output of finished steps."""
        job = self._service.auditing.read_job(self.caller, "result", self.job(name))
        return [made_file(file, entry) for file, entry in self._file_entries(job).items()]

    def file(self, name: str, file: str) -> tuple[MadeFile, Iterator[bytes]]:
        """A file of a job, and its content piece by piece; InputError for an unknown name."""
        job = self._service.auditing.read_job(self.caller, "result", self.job(name))
        entry = self._file_entries(job).get(file)
        if entry is None:
            raise InputError("not-found", "the job holds no file of this name; GET /v1/jobs/{id}/files lists its own", ("name",))
        job.check_kept(with_input=entry["step"] is None)
        return made_file(file, entry), self._service.stores.jobs.pieces(job.id, entry["role"])

    def file_names(self, name: str) -> list[str]:
        """The names of a job's files."""
        return list(self._file_entries(self.job(name)))

    def file_command(self, name: str, file: str) -> str | None:
        """The command whose step wrote a file; None for an input file."""
        command: str | None = self._file_entries(self.job(name))[file]["command"]
        return command

    def _file_entries(self, job: JobView) -> Json:
        job.check_kept()
        steps = OPERATIONS[job.kind].steps if job.kind in OPERATIONS else None
        if steps is None or not steps.makes_files:
            return {}
        return {**job.params["inputs"], **(self._service.stores.jobs.published(job.id, FILES) or {})}

    def result_version(self, name: str) -> int:
        """A number that changes with the corrections of a job; 0 before the first correction."""
        return CorrectionStore(self._service.stores.jobs.database).version(name)

    def result(self, name: str, form: ResultForm) -> Result:
        """The result of a job that succeeded, in one of `RESULT_FORMATS`, with its corrections."""
        job, jobs = self._service.auditing.read_job(self.caller, "result", self.job(name)), self._service.stores.jobs
        job.check_kept(with_input=form.name == "annotated")
        if job.state != "succeeded" or job.summary is None:
            raise InputError("job-not-finished", f"the job is {job.state}; only one that succeeded has a result", ("id",))
        corrections: Iterable[Correction] = CorrectionStore(jobs.database).all(name) if form.written != "none" else ()
        if form.name == "annotated":
            files = (jobs.file(name, "file"), jobs.file(name, "source"))
            annotated_file = annotated(job.params, *files, self.rows(name), corrections, form.written)
            return Result([annotated_file.content], annotated_file.media_type, annotated_file.name, annotated_file.corrections)
        if form.name == "tmx":
            check_kind(job)
            pieces = memory_stream(job.params, self.rows(name), corrections, form.segments, __version__)
        else:
            pieces = result_stream(OPERATIONS[job.kind], job.summary, jobs.outputs(name), form.name, form.formulas, corrections)
        file_name = f"assay-{job.kind}-{name[:8]}.{form.name}"
        return Result(blocks_of(pieces), RESULT_FORMATS[form.name], file_name)
