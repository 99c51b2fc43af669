"""Request and answer of a recipe's job."""

from typing import Annotated, Any, Final

from pydantic import Field
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.job_files import MadeFile
from app.operations.operation import Body, with_example
from app.operations.parts.limits import RequestLimits

__all__ = ["INPUT", "MOST_FILES", "RECIPE", "RecipeAnswer", "RecipeRequest", "StepAnswer", "StoredFile", "check_recipe"]

# Roles of a form's files: the recipe, and the prefix of an input's name.
RECIPE: Final = "recipe"
INPUT: Final = "input:"
MOST_FILES: Final = 100
ABOUT: Final = "The recipe: its YAML as a text, or the same as JSON; docs/smt/recipes.md has it"


class StoredFile(Body):
    """A file of another job of the caller's: one that it came in, or that it made."""

    job: Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="The job's id")]
    file: Annotated[str, Field(max_length=200, description="The file's name there, or that of a folder")]


class RecipeRequest(Body):
    """Parameters of a `recipe` job: steps, each a command with its options, and the files that they read, by name."""

    model_config = with_example(
        {
            "recipe": {
                "steps": [{"corpus filter": {"source": "a.de", "target": "a.en", "out-source": "b.de", "out-target": "b.en"}}]
            },
            "files": {"a.de": "das haus\nein haus\n", "a.en": "the house\na house\n"},
        }
    )

    recipe: Annotated[str | dict[str, Any], Field(description=ABOUT)]
    constants: Annotated[
        dict[str, str] | None, Field(max_length=MOST_FILES, description="Other values of the recipe's constants")
    ] = None
    files: Annotated[
        dict[str, str | StoredFile] | None,
        Field(max_length=MOST_FILES, description="Texts, or files of other jobs, by their names"),
    ] = None


class StepAnswer(TypedDict):
    """A finished step: command line, version of Assay, input and output files, and the last lines of its messages."""

    step: str
    command: str
    version: str
    inputs: list[MadeFile]
    outputs: list[MadeFile]
    told: list[str]


class RecipeAnswer(TypedDict):
    """Files of a recipe's job, and its steps."""

    files: list[MadeFile]
    steps: list[StepAnswer]


def check_recipe(request: RecipeRequest, limits: RequestLimits) -> None:
    """Raise InputError outside a server; planning checks the recipe itself."""
    if limits.recipe is None:
        raise InputError("invalid-job", "a server runs recipes as jobs; here assay corpus run does")
