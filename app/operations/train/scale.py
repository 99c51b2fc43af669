"""Scale of a label: the usual one, the request's, or the one of a new version's base."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, FiniteFloat

from app.errors import InputError
from app.operations.operation import Body
from app.planning.numerals import is_plain
from app.predictors.labels import LABELS, POINTS, STANDARDISATION, Z_SCORE, Label, Scale, label_named

__all__ = ["ScaleRequest", "label_of", "scale_in_words"]

HIGHER: Final = "higher is better"


def _visible(value: str) -> str:
    if not is_plain(value):
        raise ValueError("a unit is visible text on one line, without control characters or marks that turn its direction")
    return value


class ScaleRequest(Body):
    """Scale of labels: direction and range.

    `range` is the lowest and the highest value, of which one may be null; `classes` are the only grades that are given.
    """

    direction: Literal["higher is better", "lower is better"]
    range: Annotated[list[FiniteFloat | None], Field(min_length=2, max_length=2)] | None = None
    classes: Annotated[list[FiniteFloat], Field(min_length=2, max_length=100)] | None = None
    unit: Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_visible)] | None = None

    def scale(self, unit: str) -> Scale:
        """Scale for predictors; `unit` is used if the request names none."""
        low, high = self.range or (None, None)
        return Scale(self.direction == HIGHER, low, high, tuple(self.classes or ()), self.unit or unit)


def label_of(name: str, scale: ScaleRequest | None, base: Label | None = None) -> Label:
    """The label that is learned; a new version has its base's. InputError where a scale is missing, unfit, or not the base's."""
    if scale is None:
        return label_named(name) if base is None else base
    usual = base or LABELS.get(name)
    unit = POINTS if usual is None else usual.unit
    # Ratings that are declared to lie in a range or to be grades are no longer standardised.
    if base is None and unit == Z_SCORE and (scale.range or scale.classes):
        unit = POINTS
    label = label_named(name, scale.scale(unit))
    if base is None:
        return label
    if (label.scale or _as_scale(label)) != (base.scale or _as_scale(base)):
        remedy = f". {STANDARDISATION}" if base.unit == Z_SCORE else " and send labels on it"
        detail = f"this is not the scale of the base, {scale_in_words(base)}; leave base out, or leave scale out{remedy}"
        raise InputError("invalid-job", detail, ("scale",))
    return base


def _as_scale(label: Label) -> Scale:
    return Scale(label.higher_is_better, label.lowest, label.highest, label.classes, label.unit)


def scale_in_words(label: Label) -> str:
    """A scale in words."""
    ends = " to ".join("any" if end is None else f"{end:g}" for end in (label.lowest, label.highest))
    grades = f", one of {', '.join(f'{grade:g}' for grade in label.classes)}" if label.classes else ""
    return f"{label.unit} from {ends}{grades}, {label.direction}"
