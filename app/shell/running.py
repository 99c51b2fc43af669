"""Answers to requests of commands: computed locally or by a server, directly or as a job."""

from collections.abc import Mapping, Set
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from app.errors import InputError
from app.operations.operation import Body, Json, Operation
from app.operations.parts.fields import in_loaded_languages
from app.operations.translating import names_service
from app.shell.here import ModelsHere, engine_here, limits_here, settings_here, translators_here
from app.shell.output import progress_bar, say_cautions

__all__ = ["answer_to", "answer_to_files", "body_of"]

R = TypeVar("R", bound=Body)


def answer_to(operation: Operation[R, Any], request: R, server: str | None, models: ModelsHere | None = None) -> Any:
    """The answer to a request, or the summary of its job if the operation runs only as a job.

    A local job saves its models in `models`, by default in the data folder under their names.
    """
    if server is not None:
        answer = _server_answer(operation, request, server)
    else:
        answer = _local_answer(operation, request, models or ModelsHere(settings_here().trained_models_dir))
    say_cautions(answer)
    return answer


def answer_to_files(operation: Operation[R, Any], request: R, files: Mapping[str, bytes], server: str) -> Any:
    """The summary of a server's job with `files` by role; `request` holds the other parameters."""
    from app.shell.there import calling, job_progress

    roles = {role.partition(":")[0] for role in files}
    fields = {field for role in roles for field in (role, f"{role}s")}
    params = {name: value for name, value in body_of(request, fields).items() if value is not None}
    with calling(server) as client, progress_bar(operation.name) as progress, TemporaryDirectory() as folder:
        paths = {role: Path(folder) / str(number) for number, role in enumerate(files)}
        for role, path in paths.items():
            path.write_bytes(files[role])
        job = client.submit_files(paths, params, operation.name)
        answer: Any = client.wait(job["id"], on_progress=job_progress(progress))["summary"]
    say_cautions(answer)
    return answer


def body_of(request: Body, omitted_fields: Set[str] = frozenset()) -> Json:
    """JSON body of a request: the explicitly set fields, without `omitted_fields`."""
    return request.model_dump(mode="json", exclude_unset=True, exclude=set(omitted_fields))


def _local_answer(operation: Operation[R, Any], request: R, models: ModelsHere) -> Any:
    operation.check(request, limits_here())
    engine = engine_here()
    request = in_loaded_languages(engine, request)
    if "source_language" in type(request).model_fields and not (engine.resources.pairs or engine.systems.pairs):
        raise InputError("not-ready", f"nothing is loaded: there are no resources in {settings_here().resources_dir}")
    if operation.translation is not None and names_service(request):
        request = operation.translation(translators_here(), request)
    if operation.answer is not None:
        return operation.answer(engine, request)
    from app.shell.local_jobs import run_here

    return run_here(operation, engine, request, models)


def _server_answer(operation: Operation[R, Any], request: R, server: str) -> Any:
    from app.shell.there import calling, job_progress

    with calling(server) as client:
        if operation.answer is not None:
            return client.ask(operation.name, body_of(request))
        with progress_bar(operation.name) as progress:
            return client.run(operation.name, body_of(request), on_progress=job_progress(progress))["summary"]
