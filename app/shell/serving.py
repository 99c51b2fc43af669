"""`assay serve` and `assay models`."""

import sys
from typing import Annotated, Any, Final

import typer
import uvicorn

from app.errors import InputError
from app.model_answers import model_answer
from app.shell.output import Format, print_json, print_rows, say
from app.shell.session import call_server, engine_here, settings_here

__all__ = ["register"]

Server = Annotated[str | None, typer.Option(help="Ask this server instead of loading an engine here.")]
SWITCH_SECONDS: Final = 0.001
Form = Annotated[Format, typer.Option("--format", help="Form of the answer.")]


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (ASSAY_HOST).")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on (ASSAY_PORT).")] = None,
) -> None:
    """Start the server and its workers."""
    from app.main import create_app

    # The thread that speaks HTTP waits no longer than this for one that computes.
    sys.setswitchinterval(SWITCH_SECONDS)
    settings = settings_here()
    settings = settings.model_copy(update={k: v for k, v in (("host", host), ("port", port)) if v is not None})
    say(f"Assay is at http://{settings.host}:{settings.port} as soon as its models are loaded.")
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        # Event streams never end by themselves.
        timeout_graceful_shutdown=5,
    )


def models(
    model: Annotated[str | None, typer.Argument(help="Show this model's card.")] = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """List the predictors, or show the card of one."""
    if server:
        cards = call_server(server, "GET", "/v1/models")["models"]
    else:
        cards = [model_answer(each) for each in engine_here().models.values()]
    if model is not None:
        found = [card for card in cards if card["id"] == model]
        if not found:
            raise InputError("unknown-model", "no model has this id; assay models lists them", ("model",))
        print_json(found[0])
    elif form is Format.JSON:
        print_json({"models": cards})
    else:
        print_rows([_line(card) for card in cards], form)


def _line(card: dict[str, Any]) -> dict[str, Any]:
    accuracy = card["accuracy"]
    return {
        "model": card["id"],
        "pair": card["pair"],
        "label": card["label"],
        "learner": card["learner"],
        "features": len(card["features"]),
        **{name: float(accuracy[name]) for name in ("pearson", "spearman", "mae", "rmse", "delta_avg")},
    }


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.command()(serve)
    program.command()(models)
