"""Warm-up of decisions and combination: one run on two small segments compiles their kernels."""

from typing import Final

from app.metrics import metrics_named
from app.smt.lists.combination.combine import Combiner
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Scorers, start_weights
from app.smt.lists.mbr.decision import decide, parse_way

__all__ = ["warm_up_ranking"]

SYSTEMS: Final = {"one": ("a b c d", "c d"), "two": ("a c b d", "c"), "three": ("a b d", "d c")}


def warm_up_ranking() -> None:
    """Decide by pairs, by expected counts and with pruning; then combine."""
    metrics = metrics_named(["bleu", "chrf", "ter"])
    outputs = SystemOutputs(SYSTEMS)
    for name, way in (("bleu", "exact"), ("chrf", "counts"), ("ter", "pruned")):
        decide(outputs, metrics[name], way=parse_way(way))
    scorers = Scorers(metrics["bleu"])
    Combiner(outputs, metrics["bleu"], scorers, path_limit=4).combine(start_weights(len(SYSTEMS), scorers))
