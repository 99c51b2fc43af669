"""The steps of a server beside the commands that they are."""

from pathlib import Path
from typing import Any

import pytest
import typer

from app.shell.program import program
from app.smt.recipes.server_steps import BINARY, SERVER_STEPS
from app.smt.recipes.step_files import STEP_FILES

COMMANDS: Any = typer.main.get_command(program).commands  # type: ignore[attr-defined]
# What a step must be told and its command need not: where it writes, but into the server's own folder.
NEEDED = {
    ("align", "source"), ("align", "target"), ("import-lexical", "out"), ("import-lm", "out"), ("lm", "out"), ("mix-lm", "out"),
    ("decode", "text"), ("smt translate", "text"), ("score", "first"), ("score", "systems"),
}  # fmt: skip
# What no step of a server may be told.
LEFT_OUT = {
    "align": {"symmetrise", "pair", "out", "licence"},
    "mbr": {"server"},
    "oracle": {"server"},
    "tune": {"server"},
    "rerank": {"server", "tagger", "pair", "model", "label", "profile"},
    "score": {"server", "baseline", "save_scores", "fail_below", "fail_if_worse", "fail_unless_better", "fail_on"},
    "select-data": {"function_words", "pair", "model", "label"},
}


def command(name: str) -> Any:
    outer, _, inner = name.partition(" ")
    return COMMANDS[outer].commands[inner] if inner else COMMANDS[outer]


@pytest.mark.parametrize("name", SERVER_STEPS)
def test_a_step_takes_what_its_command_takes(name: str) -> None:
    theirs = {parameter.name: parameter for parameter in command(name).params}
    for parameter in SERVER_STEPS[name].params:
        own = theirs[parameter.name]
        assert parameter.opts[-1] == own.opts[0] if own.param_type_name == "option" else True
        assert list(parameter.secondary_opts) == own.secondary_opts
        told = (parameter.param_type_name, parameter.nargs, parameter.multiple, parameter.is_flag)
        assert told == (own.param_type_name, own.nargs, getattr(own, "multiple", False), getattr(own, "is_flag", False)), parameter
        assert parameter.required == own.required or (name, parameter.name) in NEEDED, parameter
    # An option that nobody has put into the table is refused.
    assert not LEFT_OUT.get(name, {"replace"}) & {parameter.name for parameter in SERVER_STEPS[name].params}
    places = [own.name for own in command(name).params if own.param_type_name == "argument"]
    assert [parameter.name for parameter in SERVER_STEPS[name].params if parameter.param_type_name == "argument"] == places


def test_every_file_of_a_step_is_one() -> None:
    assert SERVER_STEPS.keys() <= STEP_FILES.keys()
    for name, option in BINARY:
        assert option in STEP_FILES[name].reads
    for name, step in SERVER_STEPS.items():
        paths = {
            p.name
            for p in command(name).params
            if "Path" in repr(p.type_descriptor.annotation) or p.type_descriptor.annotation is Path
        }
        files = STEP_FILES[name].reads | STEP_FILES[name].writes
        assert paths & {parameter.name for parameter in step.params} <= files
