"""A server of several processes: one loads everything and supervises, some answer requests, and one has the duties.

The processes are forked after everything is loaded, so that they share its memory until they write to it. A process forked before
answers while the supervisor loads.
"""

import gc
import logging
import os
import shutil
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI

from app.running.logs import install_logs
from app.running.processes.forking import fork_process
from app.running.sharing import Sharing
from app.running.tracing import start_tracing, stop_tracing
from app.server.service import Service
from app.server.upkeep.duties import run_duties
from app.settings import Settings
from app.shell.serving.answering import AnsweringServer
from app.shell.serving.shared_folder import METRICS_VARIABLE
from app.shell.serving.supervisor import Supervisor, Task

__all__ = ["AddressError", "serve_together"]

BACKLOG: Final = 2048


class AddressError(Exception):
    """The server cannot listen at its address, for this reason of the system."""


def serve_together(
    application: FastAPI, config: uvicorn.Config, settings: Settings, sharing: Sharing, announce: Callable[[int], None]
) -> int:
    """Listen, load, and serve with several processes until a signal; return the exit code.

    `announce` takes the port once callers can connect. AddressError if the address is taken, or not one of this machine.
    """
    install_logs(settings.log_format, settings.log_level)
    service: Service = application.state.service
    # Everything that all processes have is made before the fork.
    application.middleware_stack = application.build_middleware_stack()
    config.load()
    load = _Load(service, sharing.folder)
    listeners = _listening_sockets(settings.host, settings.port)
    announce(int(listeners[0].getsockname()[1]))
    answer = partial(_answer, config, listeners, sharing, service)
    load.run(partial(answer, sharing.rows - 1))
    tasks = [Task(f"answers {place}", partial(answer, place), partial(sharing.clear, place)) for place in range(sharing.processes)]
    if service.failure is None:
        duties = partial(_do_duties, settings, sharing, listeners)
        tasks.append(Task("duties", duties, partial(sharing.clear, sharing.duties_place)))
    # Connections would wait for a process as long as one has the listening sockets.
    return Supervisor(tasks, settings.drain_seconds, partial(_close, listeners)).run()


def _listening_sockets(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at all addresses of a host. Port 0 lets the system choose the port."""
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, socket.AI_PASSIVE):
            listener = socket.socket(family, kind, protocol)
            sockets.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            chosen_port = sockets[0].getsockname()[1] or address[1]
            listener.bind((address[0], chosen_port, *address[2:]))
            listener.setblocking(False)
            listener.listen(BACKLOG)
    except OSError as error:
        _close(sockets)
        raise AddressError(f"{host}, port {port}: {str(error.strerror).lower()}") from error
    return sockets


def _close(sockets: Sequence[socket.socket]) -> None:
    for listener in sockets:
        listener.close()


class _Load:
    """The load of a service, in which another process answers. A signal ends both from now on."""

    def __init__(self, service: Service, folder: Path) -> None:
        self._service, self._folder = service, folder
        self._herald: int | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            # The supervisor blocks these signals later, and forked processes have handlers of their own.
            signal.signal(number, self._stop)

    def run(self, answer: Callable[[], int]) -> None:
        """Load while a process works on `answer`, then end it: no request may come to it after one to a loaded process."""
        self._herald = fork_process(answer)
        self._service.load()
        self._service.end_threads()
        gc.collect()
        gc.freeze()
        self._end_herald()

    def _end_herald(self) -> None:
        if self._herald is not None:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._herald, signal.SIGTERM)
                os.waitpid(self._herald, 0)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._end_herald()
        # A library may be in the middle of its load, so that an orderly end could crash.
        shutil.rmtree(self._folder, ignore_errors=True)
        logging.shutdown()
        os._exit(0)


def _answer(config: uvicorn.Config, listeners: list[socket.socket], sharing: Sharing, service: Service, place: int) -> int:
    """Answer requests at a place."""
    sharing.place = place
    server = AnsweringServer(config, listeners, sharing, service.begin_stop)
    if place < sharing.processes:
        sharing.running.set(1)
    server.run()
    return 0


def _do_duties(settings: Settings, sharing: Sharing, listeners: list[socket.socket]) -> int:
    """Do the duties; no connection waits for this process."""
    sharing.place = sharing.duties_place
    _close(listeners)
    # Files of metrics belong to processes that answer.
    os.environ.pop(METRICS_VARIABLE, None)
    if settings.otel:
        start_tracing("server")
    run_duties(settings, sharing.workers.set)
    stop_tracing()
    return 0
