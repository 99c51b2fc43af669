"""`assay serve` and `assay models list`."""

import logging
import os
import sys
import time
from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from app.errors import InputError
from app.running.garbage import searches_suspended
from app.settings import Settings
from app.shell.declaration.files import check_folder
from app.shell.declaration.forms import Format
from app.shell.here import command_line, data_settings, engine_here
from app.shell.options.server.serving import ModelsListOptions, ModelsShowOptions, ServeOptions
from app.shell.output import print_json, print_rows, say
from app.shell.there import calling

if TYPE_CHECKING:
    # Needs NumPy, which the help of the command does not.
    from app.running.sharing import Sharing

__all__ = ["list_models", "serve", "show_model"]

MEASURES: Final = ("pearson", "spearman", "mae", "rmse", "delta_avg")
SWITCH_SECONDS: Final = 0.001
# The exit code of a server that could not begin.
NOT_STARTED: Final = 3


def serve(options: ServeOptions) -> None:
    """Start the server and its workers."""
    changes = {"host": options.host, "port": options.port, "processes": options.processes}
    settings = data_settings().model_copy(update={name: value for name, value in changes.items() if value is not None})
    processes = settings.answering_processes
    if processes == 1:
        code = _serve(settings, None)
    elif sys.platform != "linux":
        raise InputError("invalid-request", "several processes share memory under Linux alone; use 1 here", ("ASSAY_PROCESSES",))
    else:
        from app.running.sharing import Sharing
        from app.shell.serving.shared_folder import shared_folder

        with shared_folder() as folder:
            code = _serve(settings, Sharing(processes, folder))
    if code:
        sys.exit(code)


def _serve(settings: Settings, sharing: "Sharing | None") -> int:
    """Serve until the end, with the processes of `sharing` or one; return the exit code."""
    with searches_suspended():
        import uvicorn

        from app.main import create_app
        from app.running.tracing import check_tracing
        from app.server.api.middleware.heads import BoundedHeads
        from app.server.jobs.worker_pairs import worker_pairs
        from app.server.upkeep.restoring import complete_restore
        from app.shell.serving.draining import DrainingServer
        from app.shell.serving.together import AddressError, serve_together

    # The thread that speaks HTTP waits no longer than this for one that computes.
    sys.setswitchinterval(SWITCH_SECONDS)
    # A server whose folder cannot be made would begin, fail in its log, and stay.
    check_folder(settings.data_dir, "ASSAY_DATA_DIR")
    # A folder that is there keeps its mode.
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    # Workers that end at once would be started for ever.
    worker_pairs(settings)
    if settings.otel:
        check_tracing()
    # Before anybody opens the database that is put in place.
    complete_restore(settings)
    application = create_app(settings, sharing)
    _check_keys(settings)
    config = uvicorn.Config(
        application,
        host=settings.host,
        port=settings.port,
        # Assay's handlers take its records, and Assay logs requests.
        log_config=None,
        log_level="warning",
        http=BoundedHeads,
        ws="none",
        # Uvicorn would trust every process on this machine, or FORWARDED_ALLOW_IPS. Assay trusts ASSAY_TRUSTED_PROXIES alone.
        proxy_headers=False,
        access_log=False,
        timeout_graceful_shutdown=ceil(settings.drain_seconds),
    )

    def announce(port: int) -> None:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        say(f"Assay is at http://{host}:{port} as soon as its models are loaded.")

    if sharing is not None:
        try:
            return serve_together(application, config, settings, sharing, announce)
        except AddressError as error:
            say(str(error))
            return NOT_STARTED
    server = DrainingServer(config, announce, application.state.service.begin_stop)
    server.run()
    if not server.started:
        return NOT_STARTED
    if not application.state.service.has_loaded:
        # A thread still loads libraries: an orderly end would wait for it or crash.
        logging.shutdown()
        os._exit(0)
    return 0


def _check_keys(settings: Settings) -> None:
    """Make sure that callers from other machines need a key: create the first key, or raise InputError if no key is valid.

    A server behind a proxy that signs users in also gets a key, from which tokens against forged requests are derived. This key
    may be revoked.
    """
    from app.server.service import is_loopback
    from app.server.store import ADMIN, KeyStore, open_database

    by_proxy = bool(settings.proxy_user_header)
    if not by_proxy and (is_loopback(settings.host) or settings.allow_anonymous):
        return
    database = open_database(settings.sqlalchemy_url)
    keys = KeyStore(database, command_line())
    if not keys.exist():
        _, token = keys.create(ADMIN, [ADMIN])
        say(f"Callers need a key. This one, {ADMIN}, may do everything and is shown once; assay server keys create makes others:")
        print(token, flush=True)
    elif not by_proxy and not any(key.valid(time.time()) for key in keys.list()):
        detail = "no key is valid any more: make one with assay server keys create, or set ASSAY_ALLOW_ANONYMOUS=true"
        raise InputError("no-key", detail)
    # A process that is forked later may have no connection of this one.
    database.dispose()


def list_models(options: ModelsListOptions) -> None:
    """Print the models, one a line."""
    cards = _cards(options.server)
    if options.form is Format.JSON:
        print_json({"models": cards})
    else:
        print_rows([_line(card) for card in cards], options.form)


def show_model(options: ModelsShowOptions) -> None:
    """Print the card of a model."""
    card = next((card for card in _cards(options.server) if card["id"] == options.model), None)
    if card is None:
        raise InputError("unknown-model", "no model has this id; assay models list prints the ids", ("model",))
    print_json(card)


def _cards(server: str | None) -> Any:
    """Cards of the models of a server, or of those here; broken models are named on stderr."""
    if server is not None:
        with calling(server) as client:
            answer: Any = client.call("GET", "/v1/models")
    else:
        from app.operations import models

        answer = models.list_models(engine_here())
    for row in answer.get("broken", ()):
        say(f"{row['name']} is broken: {row['reason']}")
    return answer["models"]


def _line(card: Mapping[str, Any]) -> dict[str, Any]:
    accuracy = card["accuracy"]
    return {
        "model": card["id"],
        "pair": card["pair"],
        "label": card["label"],
        "direction": card["direction"],
        "learner": card["learner"],
        "features": len(card["features"]),
        **{name: float(accuracy[name]) for name in MEASURES if isinstance(accuracy.get(name), int | float)},
    }
