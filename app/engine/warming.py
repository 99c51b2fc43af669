"""Loading and first use of an engine: every kernel compiles before a request waits for it, and parts that fail are left out."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from app.engine.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.metrics import Metric, Significance, metrics_named, scores_of_statistics, segment_statistics
from app.metrics.meta_evaluation.correlation import warm_up_agreements
from app.metrics.meteor.paraphrases import warm_up_paraphrases
from app.resources.identification import warm_up_identifier
from app.running.kernel_caches import KernelCaches
from app.text import LanguagePair
from app.text.side_information import KINDS, SideInformation
from app.wings import attached

__all__ = ["WarmUp", "load_engine", "warm_up", "warm_ups"]

log = logging.getLogger("assay")
Texts = Mapping[str, Sequence[str]]
WarmUp = Callable[[], None]
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
    "meteor|stem:en",
)
SETS: Final = ("all-blackbox", "glassbox-smt", "glassbox-nmt", "text-only+words", "document", "structure")
SIDE_INFORMATION: Final = SideInformation(**{kind.name: [kind.example] for kind in KINDS})
SYSTEMS: Final[Texts] = {"a": ["a b c d", "b.c-d"], "b": ["a", ""]}
REFERENCES: Final[Sequence[Texts]] = ({"r": ["a c b d", "b c"]}, {"r": ["a c b d", "b c"], "s": ["a c", "b"]})


def load_engine(engine: Engine, pairs: Sequence[LanguagePair] | None = None, for_requests: bool = True) -> Engine:
    """Load an opened engine, all of it or `pairs`, and use every part once; return the engine.

    A part that fails to load or to work is left out; a part of `pairs` that fails raises. `for_requests` loads the model of
    identification too, and runs `warm_ups` unless all kernels are compiled.
    """
    engine.load(pairs)
    warm_up(engine, pairs)
    if for_requests:
        warm_up_identifier()
        # A compiled kernel loads within milliseconds; all of them together take a second of each start.
        for compile_kernels in () if KernelCaches().fresh() else warm_ups(wings=pairs is None):
            compile_kernels()
    return engine


def warm_ups(wings: bool) -> list[WarmUp]:
    """Functions that compile kernels of no artefact: metrics, correlations, and kernels of the `wings`."""
    return [_warm_up_metrics, warm_up_paraphrases, warm_up_agreements, *(attached("warm_ups") if wings else ())]


def warm_up(engine: Engine, pairs: Sequence[LanguagePair] | None = None) -> None:
    """Use systems, pairs (all, or `pairs`) and trained metrics once; leave out what fails, but raise for named `pairs`."""
    engine.systems.load(pairs)
    for pair in engine.resources.pairs if pairs is None else pairs:
        try:
            _warm_up_pair(engine, pair)
        except Exception as error:
            if pairs is not None:
                raise
            log.exception("%s does not work", pair)
            engine.resources = engine.resources.without(str(pair), f"it does not work ({type(error).__name__})")
    for name, metric in engine.registry.metrics.items():
        if metric.needs_tables:
            # The operator may have no tables, or some under any name.
            continue
        try:
            _warm_up_trained_metric(engine, name, metric.needs_tags)
        except Exception as error:
            engine.registry.leave_out_metric(name, error)


def _warm_up_metrics() -> None:
    significance = Significance(samples=10, test="randomisation", trials=10)
    metrics = metrics_named(METRICS)
    for references in REFERENCES:
        _score(metrics, SYSTEMS, references, significance)


def _score(metrics: Mapping[str, Metric], systems: Texts, references: Texts, significance: Significance | None = None) -> None:
    statistics = segment_statistics(metrics, systems, references)
    scores_of_statistics(metrics, statistics, len(references), significance=significance)


def _warm_up_pair(engine: Engine, pair: LanguagePair) -> None:
    tag_segments = _segments(pair, [-0.5] * 5)
    while judges := [judge for judge in engine.registry.judges(pair) if judge is not None]:
        # Another tagger takes the place of one that fails.
        if all(_tags(engine, tag_segments, judge.card.id) for judge in judges):
            break
    for name in SETS:
        engine.features(_segments(pair, [-0.5, -0.1]), name)
    engine.features(Segments(pair, [], []), "quest-baseline-17")


def _segments(pair: LanguagePair, log_probs: Sequence[float]) -> Segments:
    return Segments(pair, ["a b c ."], ["a b c ."], SIDE_INFORMATION.with_kinds(token_log_probs=[log_probs]))


def _tags(engine: Engine, segments: Segments, tagger: str) -> bool:
    """Return True if a word tagger works; leave it out if it fails."""
    try:
        engine.word_tags(segments, tagger)
    except InputError:
        # A resource is missing, which is no fault of the tagger.
        return True
    except Exception as error:
        engine.registry.leave_out_tagger(tagger, error)
        return False
    return True


def _warm_up_trained_metric(engine: Engine, name: str, tagged: bool) -> None:
    if tagged:
        _score(engine.metrics([f"trained:{name}|factored:yes"]), {"a": ["a|X b|Y"]}, {"r": ["a|X c|Y"]})
        return
    metrics = engine.metrics([f"trained:{name}"])
    for references in REFERENCES:
        _score(metrics, SYSTEMS, references)
