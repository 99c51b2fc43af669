"""Goals of each sentence that a decoder can learn towards, and scores of its translations of a text."""

from collections.abc import Sequence

from app.errors import InputError
from app.metrics import Metric, PreparedMetric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.oracle import find_oracle
from app.smt.decoder.tuning.violations import reach_reference

__all__ = ["corpus_score", "goals_of"]


def goals_of(
    decoder: Decoder, sources: Sequence[str], references: Sequence[Sequence[str]], gold: str
) -> tuple[dict[int, list[str]], int]:
    """Goal texts by sentence, and the number of sentences that reach a reference.

    With the `gold` ``oracle``, sentences that reach none have the oracle of a search as goal. InputError if no sentence has a goal.
    """
    references_of = {k: [texts[k] for texts in references] for k, source in enumerate(sources) if source.split()}
    goals = {k: texts for k, texts in references_of.items() if reach_reference(decoder, sources[k], texts) is not None}
    reachable = len(goals)
    if gold == "oracle":
        for k in sorted(references_of.keys() - goals.keys()):
            oracle = find_oracle(decoder.translate(sources[k], alternatives=True), references_of[k])
            if oracle is not None:
                goals[k] = [oracle.derivation.text]
    if not goals:
        raise InputError(
            "empty-input", "no sentence can reach its reference within table limits and jumps; tune on lists, or with gold:oracle"
        )
    return goals, reachable


def corpus_score(decoder: Decoder, sources: Sequence[str], metric: Metric, reference_statistics: PreparedMetric) -> float:
    """Score of the best translations of all sentences."""
    texts = [best.text if (best := decoder.translate(source).best()) else "" for source in sources]
    return float(metric.score(reference_statistics.statistics(texts).sum(0)[None])[0])
