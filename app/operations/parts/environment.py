"""The settings of a process, or one line that says which variable of its environment cannot be as it is."""

from pydantic import ValidationError

from app.errors import InputError
from app.operations.validation import explain_fault
from app.settings import PREFIX, Settings

__all__ = ["read_settings"]


def read_settings() -> Settings:
    """The settings of the environment; InputError names the first variable that is wrong, and what it accepts."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # A secret that cannot be read belongs to no setting yet.
        variable = PREFIX + (str(first["loc"][0]).upper() if first["loc"] else "SECRETS_DIR")
        raise InputError("invalid-request", explain_fault(first), (variable,)) from None
