"""Everything that is compiled is run once, so that no request waits; what fails at its first work is left out."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from app.engine.segments import Segments
from app.errors import InputError
from app.metrics import Significance
from app.metrics.meta_evaluation.correlation import warm_up_agreements
from app.resources.identification import warm_up_identifier
from app.text import LanguagePair
from app.text.side_information import KINDS, SideInformation
from app.wings import attached

if TYPE_CHECKING:
    from app.engine.engine import Engine

__all__ = ["warm_up"]

log = logging.getLogger("assay")
Texts = Mapping[str, Sequence[str]]
METRICS: Final = (
    "bleu",
    "bleu|tok:intl",
    "chrf++",
    "ter",
    "wer",
    "per",
    "nist",
    "simpbleu:PABC4",
    "order:kendall",
    "order:recpef|stem:en",
)
SETS: Final = ("all-blackbox", "glassbox-smt", "glassbox-nmt", "text-only+words", "document")
SIDE_INFORMATION: Final = SideInformation(**{kind.name: [kind.example] for kind in KINDS})
SYSTEMS: Final[Texts] = {"a": ["a b c d", "b.c-d"], "b": ["a", ""]}
REFERENCES: Final[Sequence[Texts]] = ({"r": ["a c b d", "b c"]}, {"r": ["a c b d", "b c"], "s": ["a c", "b"]})


def warm_up(engine: "Engine", pairs: Sequence[LanguagePair] | None = None, for_requests: bool = True) -> None:
    """Use all pairs, or those that are named, their systems and all trained metrics once; of named pairs, what fails raises.

    `for_requests` compiles besides what belongs to no artefact, and can therefore not be left out.
    """
    engine.systems.load(pairs)
    for pair in engine.resources.pairs if pairs is None else pairs:
        try:
            _warm_up_pair(engine, pair)
        except Exception as error:
            if pairs is not None:
                raise
            log.exception("%s cannot be worked with", pair)
            engine.resources = engine.resources.without(str(pair), f"it cannot be worked with ({type(error).__name__})")
    for name, metric in engine.trained_metrics.items():
        try:
            _warm_up_metric(engine, name, metric.needs_tags)
        except Exception as error:
            engine.registry.leave_out_metric(name, error)
    if for_requests:
        warm_up_identifier()
        _warm_up_metrics(engine)
        warm_up_agreements()
        if pairs is None:
            for warm_up_wing in attached("warm_ups"):
                warm_up_wing(engine)


def _warm_up_metrics(engine: "Engine") -> None:
    significance = Significance(samples=10, test="randomisation", trials=10)
    wanted = engine.metrics(METRICS)
    for references in REFERENCES:
        engine.scores(wanted, engine.statistics(wanted, SYSTEMS, references), len(references), significance=significance)


def _warm_up_pair(engine: "Engine", pair: LanguagePair) -> None:
    tagged = _segments(pair, [-0.5] * 5)
    while judges := [judge for judge in engine.registry.judges(pair) if judge is not None]:
        # Where one fails, another takes its place.
        if all(_tags(engine, tagged, judge.card.id) for judge in judges):
            break
    for name in SETS:
        engine.features(_segments(pair, [-0.5, -0.1]), name)
    engine.features(Segments(pair, [], []), "quest-baseline-17")


def _segments(pair: LanguagePair, log_probs: Sequence[float]) -> Segments:
    return Segments(pair, ["a b c ."], ["a b c ."], SIDE_INFORMATION.extended(token_log_probs=[log_probs]))


def _tags(engine: "Engine", segments: Segments, tagger: str) -> bool:
    """Whether a word tagger does not fail; one that does is left out."""
    try:
        engine.word_tags(segments, tagger)
    except InputError:
        # What it needs is not loaded, which is not its fault.
        return True
    except Exception as error:
        engine.registry.leave_out_tagger(tagger, error)
        return False
    return True


def _warm_up_metric(engine: "Engine", name: str, tagged: bool) -> None:
    if tagged:
        wanted = engine.metrics([f"trained:{name}|factored:yes"])
        engine.scores(wanted, engine.statistics(wanted, {"a": ["a|X b|Y"]}, {"r": ["a|X c|Y"]}), 1)
        return
    wanted = engine.metrics([f"trained:{name}"])
    for references in REFERENCES:
        engine.scores(wanted, engine.statistics(wanted, SYSTEMS, references), len(references))
