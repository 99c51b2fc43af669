"""`assay models promote` and `assay models rollback`: which version of a model a server answers with."""

from app.shell.options.upkeep import ModelsPromoteOptions, ModelsRollbackOptions
from app.shell.output import print_json, say
from app.shell.there import calling

__all__ = ["promote", "rollback"]


def promote(options: ModelsPromoteOptions) -> None:
    """Let this model answer for its language pair and label."""
    say(f"server: {options.server}")
    with calling(options.server) as client:
        print_json(client.promote(options.model, options.reason))


def rollback(options: ModelsRollbackOptions) -> None:
    """Return to what answered before this model was promoted."""
    say(f"server: {options.server}")
    with calling(options.server) as client:
        print_json(client.rollback(options.model, options.reason))
