"""What is predicted: each label's unit, direction and range."""

from dataclasses import dataclass
from typing import Final

from app.errors import InputError

__all__ = ["LABELS", "LARGEST_LABEL", "Label", "label_named"]

# What no judgement is, whatever its unit; the squares of what is below are numbers still.
LARGEST_LABEL: Final = 1e9


@dataclass(frozen=True)
class Label:
    """A kind of quality judgement; `lowest` and `highest` bound it where it is bounded.

    `warp` is how learners see it unless told otherwise; `classes` are the grades that people gave, if only those are possible.
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

    @property
    def direction(self) -> str:
        """``higher is better`` or ``lower is better``, as answers say it."""
        return "higher is better" if self.higher_is_better else "lower is better"


LABELS: Final = {
    label.name: label
    for label in (
        Label("hter", "Editing needed", "Edits needed per word of the post-edit", "fraction of words", False, 0.0, 1.0),
        Label("da", "Human rating", "Direct assessment, standardised per annotator", "z-score", True, None, None),
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
    )
}


def label_named(name: str) -> Label:
    """The label called `name`; InputError names the labels there are."""
    if name not in LABELS:
        raise InputError("unknown-model", f"labels are {', '.join(LABELS)}", ("label",))
    return LABELS[name]
