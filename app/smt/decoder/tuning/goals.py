"""What a decoder can learn towards, sentence by sentence, and what its translations of all of them are worth."""

from collections.abc import Sequence

from app.errors import InputError
from app.metrics import Metric, PreparedMetric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.oracle import find_oracle
from app.smt.decoder.tuning.violations import reached

__all__ = ["corpus_score", "goals_of"]


def goals_of(
    decoder: Decoder, sources: Sequence[str], references: Sequence[Sequence[str]], gold: str
) -> tuple[dict[int, list[str]], int]:
    """By sentence what is to be learnt towards, and how many sentences reach a reference.

    With the `gold` ``oracle`` sentences that reach none are learnt from too: towards what came closest in a search. InputError
    where there is nothing to learn from.
    """
    goals = {k: [texts[k] for texts in references] for k, source in enumerate(sources) if source.split()}
    learnt = {k: texts for k, texts in goals.items() if reached(decoder, sources[k], texts) is not None}
    reachable = len(learnt)
    if gold == "oracle":
        for k in sorted(goals.keys() - learnt.keys()):
            oracle = find_oracle(decoder.translate(sources[k], alternatives=True), goals[k])
            if oracle is not None:
                learnt[k] = [oracle.derivation.text]
    if not learnt:
        raise InputError(
            "empty-input", "no sentence can reach its reference within table limits and jumps; learn on lists, or with gold:oracle"
        )
    return learnt, reachable


def corpus_score(decoder: Decoder, sources: Sequence[str], metric: Metric, prepared: PreparedMetric) -> float:
    """What the best translations of all sentences are worth."""
    texts = [best.text if (best := decoder.translate(source).best()) else "" for source in sources]
    return float(metric.score(prepared.statistics(texts).sum(0)[None])[0])
