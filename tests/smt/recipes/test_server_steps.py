"""Steps of a server: their options, beside those of the commands they are."""

import pytest

from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, Argument, InFile, OutFile, OutFolder
from app.shell.declaration.tree import command_named
from app.smt.recipes.step_commands import StepCommands, makers_of

STEPS = StepCommands(server=True)
# Steps must name these, although the command has a default: standard input, or a folder of the server.
NEEDED_BY_STEPS = {
    ("resources align", "source"), ("resources align", "target"), ("resources import-lexical", "out"), ("resources import-lm", "out"),
    ("resources lm", "out"), ("resources mix-lm", "out"), ("smt decode", "text"), ("smt translate", "text"), ("score", "first"),
    ("score", "systems"), ("smt preorder apply", "text"),
}  # fmt: skip
# Options that name something of the server, or that mean nothing in an empty folder.
REFUSED = {
    "resources align": {"symmetrise", "pair", "out", "licence", "replace"},
    "nbest mbr": {"server"},
    "nbest oracle": {"server"},
    "nbest tune": {"server"},
    "nbest rerank": {"server", "tagger", "pair", "model", "label", "profile"},
    "score": {"server", "baseline", "save_scores", "fail_below", "fail_if_worse", "fail_unless_better", "fail_on"},
    "corpus select": {"function_words", "pair", "model", "label", "replace"},
}
COMMANDS_OF_A_SERVER = {
    "corpus concatenate", "corpus filter", "corpus mine", "corpus resample", "corpus select", "corpus slice", "corpus sort",
    "corpus split", "corpus take-translations", "corpus weight", "nbest extract", "nbest mbr", "nbest oracle", "nbest rerank", "nbest tune",
    "resources align", "resources continuous-space-model", "resources import-lexical", "resources import-lm", "resources lm",
    "resources mix-lm", "resources translation-model", "resources word-lexicon", "score", "smt align-trees", "smt combine-tables",
    "smt compact-table", "smt consolidate",
    "smt convert-trees", "smt decode", "smt extract", "smt extract-trees", "smt merge-extracts", "smt phrase-table", "smt prune-table",
    "smt preorder apply", "smt preorder evaluate", "smt preorder train", "smt profile-reordering",
    "smt samplerank", "smt search-weights", "smt train", "smt translate", "smt translate-unknown",
}  # fmt: skip


def test_a_server_runs_these_commands_alone() -> None:
    assert set(STEPS) == COMMANDS_OF_A_SERVER
    assert "serve" not in STEPS and "corpus run" not in STEPS and "corpus" not in STEPS and "nothing" not in STEPS


@pytest.mark.parametrize("name", STEPS)
def test_a_step_takes_what_its_command_takes(name: str) -> None:
    options = {parameter.name: parameter for parameter in command_named(name).params}
    names = {parameter.name for parameter in STEPS[name].params}
    assert not REFUSED.get(name, {"replace"}) & names
    for parameter in STEPS[name].params:
        needed = (name, parameter.name) in NEEDED_BY_STEPS
        assert (parameter.name in STEPS[name].required) == (options[parameter.name].required or needed), parameter
    arguments = [option.name for option in options.values() if option.param_type_name == "argument"]
    assert [parameter.name for parameter in STEPS[name].params if parameter.param_type_name == "argument"] == arguments


def test_free_text_is_refused_unless_it_is_marked() -> None:
    assert not Argument("tagger", "--tagger", closed=False).served
    assert Argument("order", "--order", closed=True).served
    assert not Argument("profile", "--profile", closed=True, marks=frozenset({LOCAL_MACHINE})).served
    assert Argument("method", "--method", closed=False, marks=frozenset({PLAIN_TEXT})).served
    for role in (InFile(), OutFile(), OutFolder()):
        assert Argument("file", "--file", closed=False, role=role).served
        assert not Argument("file", "--file", closed=False, role=role, marks=frozenset({LOCAL_MACHINE, REQUIREMENT})).served


def test_numbers_come_from_steps_that_write_them() -> None:
    for name in STEPS:
        for makers in makers_of(name).values():
            for maker in makers:
                assert any(argument.writes for argument in STEPS[maker].arguments.values())
