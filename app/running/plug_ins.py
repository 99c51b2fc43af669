"""Parts of other packages, found by entry points."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeVar

from app.errors import InputError

__all__ = ["attach_plug_ins"]

T = TypeVar("T")


def attach_plug_ins(group: str, kind: type[T], attach: Callable[[T], object]) -> None:
    """Load each entry point of a group, and pass the object, of type `kind`, to `attach`.

    InputError (`missing-resource`) names the package and the entry point whose import or attachment raises.
    """
    for point in entry_points(group=group):
        try:
            part = point.load()
            if not isinstance(part, kind):
                raise TypeError(f"this is {type(part).__name__}, and no {kind.__name__}")
            attach(part)
        # Foreign code may raise anything, and end the program.
        except (Exception, SystemExit) as error:
            package = f"the package {point.dist.name}" if point.dist else "a package"
            reason = f"{type(error).__name__}: {error}"
            detail = (
                f"{point.name} = {point.value} of {package} in {group} cannot be used: {reason}; repair or uninstall the package"
            )
            raise InputError("missing-resource", detail) from error
