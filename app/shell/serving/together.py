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
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI

from app.running.logs import install_logs
from app.running.sharing import Sharing
from app.running.tracing import start_tracing, stop_tracing
from app.server.service import Service
from app.server.upkeep.duties import run_duties
from app.settings import Settings
from app.shell.serving.answering import AnsweringServer
from app.shell.serving.shared_folder import METRICS_VARIABLE
from app.shell.serving.supervisor import Supervisor, Task, fork_process

__all__ = ["listening_sockets", "serve_together"]

BACKLOG: Final = 2048


def listening_sockets(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at all addresses of a host; OSError if one is taken. Port 0 lets the system choose the port."""
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
    except OSError:
        for listener in sockets:
            listener.close()
        raise
    return sockets


def serve_together(
    application: FastAPI, config: uvicorn.Config, listeners: list[socket.socket], settings: Settings, sharing: Sharing
) -> int:
    """Load, and serve with several processes until a signal; return the exit code."""
    install_logs(settings.log_format, settings.log_level)
    service: Service = application.state.service
    # Everything that all processes have is made before the fork.
    application.middleware_stack = application.build_middleware_stack()
    config.load()
    answer = partial(_answer, config, listeners, sharing, service)
    _load(service, fork_process(partial(answer, sharing.rows - 1)), sharing.folder)
    tasks = [Task(f"answers {place}", partial(answer, place), partial(sharing.clear, place)) for place in range(sharing.processes)]
    if service.failure is None:
        duties = partial(_do_duties, settings, sharing, listeners)
        tasks.append(Task("duties", duties, partial(sharing.clear, sharing.duties_place)))
    return Supervisor(tasks, settings.drain_seconds).run()


def _load(service: Service, herald: int, folder: Path) -> None:
    """Load while the process `herald` answers, and end it. A signal ends the server."""

    def stop(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(herald, signal.SIGTERM)
            os.waitpid(herald, 0)
        # A library may be in the middle of its load, so that an orderly end could crash.
        shutil.rmtree(folder, ignore_errors=True)
        logging.shutdown()
        os._exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        # The supervisor blocks these signals, and forked processes have handlers of their own.
        signal.signal(number, stop)
    service.load()
    service.end_threads()
    gc.collect()
    gc.freeze()
    # No request comes to a process that still loads after one that does not.
    with suppress(ProcessLookupError):
        os.kill(herald, signal.SIGTERM)
    os.waitpid(herald, 0)


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
    for listener in listeners:
        listener.close()
    # Files of metrics belong to processes that answer.
    os.environ.pop(METRICS_VARIABLE, None)
    if settings.otel:
        start_tracing("server")
    run_duties(settings, sharing.workers.set)
    stop_tracing()
    return 0
