"""Work of tuning methods, estimated from their settings: feature values of hypotheses that are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from app.smt.tuning.online.constraint_kernels import ALL_PAIRS

__all__ = ["MOVE", "ListSizes", "Settings", "work_of_online_learning", "work_of_pairs", "work_of_step"]

# Values of a method's options, by name.
Settings: TypeAlias = Mapping[str, Any]

# Drawing a pair, looking it up and sorting it, in feature values.
DRAW: Final = 5
# Steps of a regression.
NEWTON: Final = 10
# A step that moves weights costs this many times as much as reading all feature values of a list.
MOVE: Final = 3
# Passes over the margins of a list if there are as many margins as hypotheses and not all can hold.
PASSES: Final = 100


@dataclass(frozen=True)
class ListSizes:
    """Sizes of n-best lists: number of lists, hypotheses of all lists, and features of one hypothesis (at least 1)."""

    lists: int
    hypotheses: int
    features: int

    @property
    def values(self) -> int:
        """Feature values of all hypotheses."""
        return self.hypotheses * self.features


def work_of_step(settings: Settings, sizes: ListSizes) -> float:
    """Work of one step over all hypotheses: the default of a method."""
    return float(MOVE * sizes.values)


def work_of_pairs(settings: Settings, sizes: ListSizes) -> float:
    """Work of pairwise regression: pairs are drawn from every list in every round."""
    draws = settings["draws"] * (20 if settings["until-accepted"] else 1)
    pairs = min(settings["pairs"], draws)
    return float(settings["rounds"] * sizes.lists * (DRAW * draws + NEWTON * pairs * sizes.features**2))


def work_of_online_learning(settings: Settings, sizes: ListSizes) -> float:
    """Work of learning list by list, with margins of every hypothesis if ``constraints`` is ``all``."""
    epochs = max(settings["epochs"], min(settings["steps"] / max(sizes.lists, 1), 1000))
    # Margins before all hypotheses are looked at again for every target, pass by pass.
    passes = PASSES * settings["oracles"] if settings.get("constraints") == ALL_PAIRS else 0
    return float((MOVE + passes) * epochs * sizes.values)
