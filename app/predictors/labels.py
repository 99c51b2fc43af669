"""Labels of predictors: unit, direction and range, by default or as declared."""

from dataclasses import dataclass
from math import isfinite
from typing import Final

from app.errors import InputError

__all__ = [
    "CRITICAL",
    "DOCUMENTED_LABELS",
    "LABELS",
    "LARGEST_LABEL",
    "ORIGIN",
    "STANDARDISATION",
    "Z_SCORE",
    "Label",
    "Scale",
    "label_named",
]

# No judgement of any unit is as large; squares of smaller numbers are finite.
LARGEST_LABEL: Final = 1e9

Z_SCORE: Final = "z-score"
POINTS: Final = "points"
# A class, not a judgement of quality.
ORIGIN: Final = "origin"
# The standardised ratings of one person reach at most (n - 1) / sqrt(n) with n ratings. Ten needs 102 ratings, all but one equal.
# The 56,000 ratings in MLQE-PE's training data lie between -7.6 and 3.2. Ratings from 0 to 100 lie beyond.
FURTHEST_Z_SCORE: Final = 10.0
# How ratings become z-scores, for refusals.
STANDARDISATION: Final = (
    "Send standardised ratings: subtract the mean of an annotator's ratings (of all where nobody is named) from each, and divide "
    "by their standard deviation"
)
# Labels with one possible scale: edits that are computed, and classes.
FIXED_LABELS: Final = frozenset({"hter", ORIGIN})
MOST_CLASSES: Final = 100


@dataclass(frozen=True)
class Scale:
    """A declared scale of a label: direction, bounds, possible grades, unit."""

    higher_is_better: bool
    lowest: float | None = None
    highest: float | None = None
    classes: tuple[float, ...] = ()
    unit: str = POINTS

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """Lowest and highest value; for grades without a range the outermost grades."""
        if self.classes and self.lowest is None and self.highest is None:
            return min(self.classes), max(self.classes)
        return self.lowest, self.highest

    def check(self) -> None:
        """InputError unless the scale has bounds or grades, in plausible numbers."""
        low, high = self.bounds
        for value in (*self.classes, low, high):
            if value is not None and not (isfinite(value) and abs(value) <= LARGEST_LABEL):
                raise _unfit(f"grades and bounds are numbers from {-LARGEST_LABEL:g} to {LARGEST_LABEL:g}")
        if low is not None and high is not None and low >= high:
            raise _unfit("the lowest value of a range is below the highest")
        if self.classes and not 2 <= len(set(self.classes)) == len(self.classes) <= MOST_CLASSES:
            raise _unfit(f"classes are 2 to {MOST_CLASSES} different grades")
        if any((low is not None and grade < low) or (high is not None and grade > high) for grade in self.classes):
            raise _unfit("classes lie within the range")
        if low is None and high is None and self.unit != Z_SCORE:
            raise _unfit(f"a scale needs classes, a range (one end may be open), or the unit {Z_SCORE}")


def _unfit(detail: str) -> InputError:
    return InputError("invalid-request", detail, ("scale",))


@dataclass(frozen=True)
class Label:
    """A kind of quality judgement; `lowest` and `highest` are its bounds, None on an open side.

    `warp` is the default transformation for learners; `classes` are the possible grades, if there are grades. `scale` is the
    declared scale, None for the default one.
    """

    name: str
    title: str
    description: str
    unit: str
    higher_is_better: bool
    lowest: float | None
    highest: float | None
    warp: str = "none"
    classes: tuple[float, ...] = ()
    scale: Scale | None = None

    @property
    def direction(self) -> str:
        """``higher is better`` or ``lower is better``, for answers."""
        return "higher is better" if self.higher_is_better else "lower is better"

    def misfit(self, value: float) -> str | None:
        """The reason why a label cannot have this value; None for a possible value.

        Default grades allow values between them, as means of several people are, but two classes do not.
        """
        if self.unit == Z_SCORE and self.lowest is None and self.highest is None and abs(value) > FURTHEST_Z_SCORE:
            return (
                f"{self.name} is a z-score, so {value:g} is impossible: z-scores lie within ±{FURTHEST_Z_SCORE:g}. "
                f"{STANDARDISATION}. Or, without a base, declare the scale of the ratings, as --higher-is-better --range 0:100"
            )
        low = -LARGEST_LABEL if self.lowest is None else self.lowest
        high = LARGEST_LABEL if self.highest is None else self.highest
        if not low <= value <= high:
            return f"{self.name} is from {low:g} to {high:g}"
        if (self.scale is not None or len(self.classes) == 2) and self.classes and value not in self.classes:
            return f"{self.name} is one of {', '.join(f'{grade:g}' for grade in self.classes)}"
        return None


LABELS: Final = {
    label.name: label
    for label in (
        Label("hter", "Editing needed", "Share of words that an editor would change", "fraction of words", False, 0.0, 1.0),
        Label("da", "Human rating", "Direct assessment, standardised per annotator", Z_SCORE, True, None, None),
        Label("effort", "Editing effort", "Perceived post-editing effort, 1 (worst) to 5 (best)", "points", True, 1.0, 5.0),
        Label(
            "likert",
            "Grade",
            "Grade of adequacy or fluency, 1 (worst) to 5 (best)",
            "points",
            True,
            1.0,
            5.0,
            classes=(1.0, 2.0, 3.0, 4.0, 5.0),
        ),
        Label("time", "Editing time", "Post-editing time per word", "seconds per word", False, 0.0, None, "log"),
        Label(
            ORIGIN,
            "Human or machine",
            "Made by a person (1) or by a machine (0)",
            "probability of a person",
            True,
            0.0,
            1.0,
            classes=(0.0, 1.0),
        ),
    )
}

# The label of shipped predictors, whose cards declare its scale.
CRITICAL: Final = Label(
    "critical",
    "Critical error",
    "Error that misleads the reader",
    "probability of a critical error",
    False,
    0.0,
    1.0,
    classes=(0.0, 1.0),
)
# Labels with a title and a description: the usual ones and the shipped one.
DOCUMENTED_LABELS: Final = {**LABELS, CRITICAL.name: CRITICAL}


def label_named(name: str, scale: Scale | None = None) -> Label:
    """The label called `name`, on its default scale unless another is declared.

    InputError for an unknown name (it lists the labels), an incomplete scale, and a scale that the label cannot have.
    """
    usual = LABELS.get(name)
    if scale is None:
        if usual is None:
            detail = f"labels are {', '.join(LABELS)}; for another label give the better direction and classes or a range, as "
            raise InputError("unknown-model", f"{detail}--lower-is-better --classes 1,2,3", ("label",))
        return usual
    scale.check()
    low, high = scale.bounds
    if usual is not None:
        scale_fields = scale.higher_is_better, low, high, scale.unit
        as_usual = scale_fields == (usual.higher_is_better, usual.lowest, usual.highest, usual.unit)
        if as_usual and scale.classes in ((), usual.classes):
            return usual
        if name in FIXED_LABELS:
            raise _unfit(f"{name} is {usual.unit}, {usual.direction}, from 0 to 1; give a label on another scale another name")
    title, description = name, "As declared"
    if (label := DOCUMENTED_LABELS.get(name)) is not None:
        title, description = label.title, label.description.partition(",")[0]
    grades = tuple(sorted(scale.classes))
    # A canonical form: two labels of one meaning have one scale.
    canonical = Scale(scale.higher_is_better, low, high, grades, scale.unit)
    return Label(name, title, description, scale.unit, scale.higher_is_better, low, high, classes=grades, scale=canonical)
