"""Campaigns from translations of several systems: the choice of segments, attention checks, and tasks of annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import numpy as np

from app.documents.campaigns import ATTENTION, CampaignItem, ErrorSpan
from app.errors import InputError
from app.planning.attention_checks import damaged_translation
from app.planning.campaign_choice import choose_segments, disagreement
from app.shell.campaigns.pool import Pool, Prediction, Segment
from app.shell.output import counted

__all__ = ["Budget", "attention_items", "checks_of_task", "choose", "items_of", "sentences_of", "shared_tasks"]

# Names of the copies of a translation in an attention check.
DAMAGED_COPY: Final = f"{ATTENTION}damaged"
ORIGINAL_COPY: Final = f"{ATTENTION}original"
# Items for each attention check of an annotator.
ITEMS_PER_CHECK: Final = 10
# Streams of random numbers of a seed.
SYSTEMS: Final = 1
DAMAGES: Final = 2
TASKS: Final = 3
CHOICE: Final = 4

T = TypeVar("T")
Marks = Sequence[Mapping[str, Sequence[ErrorSpan]]]


@dataclass(frozen=True)
class Budget:
    """Number of segments and of annotators, judgements of each segment, and attention checks of each annotator (None: by items)."""

    segments: int
    annotators: int
    judgements: int
    checks: int | None

    def check(self) -> None:
        """Raise InputError if an annotator would have nothing to judge, or a segment twice."""
        if self.judgements > self.annotators:
            detail = f"{counted(self.annotators, 'annotator')} cannot judge each segment {self.judgements} times; name more of them"
            raise InputError("invalid-request", detail, ("--judgements",))
        if self.annotators > self.segments * self.judgements:
            detail = f"{counted(self.segments, 'segment')} are too few for {self.annotators} annotators; name fewer of them"
            raise InputError("invalid-request", detail, ("--annotators",))

    @property
    def largest_task(self) -> int:
        """Number of items of the annotator with the largest task, without attention checks."""
        return -(-self.segments * self.judgements // self.annotators)


def choose(pool: Pool, prediction: Prediction, count: int, seed: int, by: Literal["random", "disagreement"]) -> list[int]:
    """Rows of the pool to judge: a random sample, or those of the largest disagreement and diversity first."""
    if by == "random":
        return list(map(int, _random(seed, CHOICE, 0).permutation(len(pool.segments))[:count]))
    worth = disagreement(prediction.scores, prediction.stds)
    return list(map(int, choose_segments([segment.source for segment in pool.segments], worth, count, seed)))


def items_of(pool: Pool, prediction: Prediction, rows: Sequence[int], marks: Marks | None, seed: int) -> list[CampaignItem]:
    """Items of rows of the pool, with `marks` of each row, and systems in random order."""
    items = []
    for k, row in enumerate(rows):
        segment = pool.segments[row]
        names = _shuffled(list(segment.translations), _random(seed, SYSTEMS, segment.line))
        predictions = {name: round(float(prediction.scores[row, pool.systems.index(name)]), 4) for name in names}
        texts = {name: segment.translations[name] for name in names}
        items.append(CampaignItem(segment.line, segment.source, texts, {} if marks is None else marks[k], predictions))
    return items


def attention_items(pool: Pool, prediction: Prediction, rows: Sequence[int], count: int, seed: int) -> list[CampaignItem]:
    """At most `count` attention checks: the translation of the best prediction, a damaged copy, and translations of other systems.

    Segments of the best predictions come first, and those of `rows` last.
    """
    judged_rows = set(rows)
    order = sorted(range(len(pool.segments)), key=lambda row: (row in judged_rows, -float(prediction.scores[row].max())))
    items: list[CampaignItem] = []
    for row in order:
        if len(items) == count:
            break
        names = [pool.systems[k] for k in np.argsort(-prediction.scores[row], kind="stable")]
        item = _attention_item(pool, pool.segments[row], names, seed)
        if item is not None:
            items.append(item)
    return items


def _attention_item(pool: Pool, segment: Segment, names: Sequence[str], seed: int) -> CampaignItem | None:
    """An attention check of a segment, whose systems are `names` from the best prediction on; None for a short translation."""
    best = names[0]
    text, random = segment.translations[best], _random(seed, DAMAGES, segment.line)
    damage = damaged_translation(text, [rival.translations[best] for rival in pool.segments if rival.line != segment.line], random)
    if damage is None:
        return None
    # As many translations as in other items.
    texts = {DAMAGED_COPY: damage.text, **({ORIGINAL_COPY: text} if len(names) > 1 else {})}
    texts |= {f"{ATTENTION}{name}": segment.translations[name] for name in names[1:-1]}
    order = _shuffled(list(texts), random)
    place = ErrorSpan(damage.start, damage.end)
    better = (ORIGINAL_COPY,) if len(names) > 1 else ()
    shown_texts = {name: texts[name] for name in order}
    return CampaignItem(segment.line, segment.source, shown_texts, damaged_name=DAMAGED_COPY, damage=place, better=better)


def shared_tasks(
    items: Sequence[CampaignItem], checks: Sequence[CampaignItem], budget: Budget, seed: int
) -> list[list[CampaignItem]]:
    """Items of each annotator in random order; an attention check stands in each of as many stretches, and never first."""
    tasks: list[list[CampaignItem]] = [[] for _ in range(budget.annotators)]
    for number, item in enumerate(item for item in items for _ in range(budget.judgements)):
        tasks[number % budget.annotators].append(item)
    return [_with_checks(task, checks, budget, _random(seed, TASKS, k)) for k, task in enumerate(tasks)]


def checks_of_task(size: int, budget: Budget) -> int:
    """Number of attention checks of an annotator with `size` items."""
    return max(1, size // ITEMS_PER_CHECK) if budget.checks is None else budget.checks


def _with_checks(
    task: Sequence[CampaignItem], checks: Sequence[CampaignItem], budget: Budget, random: np.random.Generator
) -> list[CampaignItem]:
    items = _shuffled(task, random)
    used_checks = _shuffled(checks, random)[: checks_of_task(len(items), budget)]
    bounds = [len(items) * k // max(1, len(used_checks)) for k in range(len(used_checks) + 1)]
    # From behind, so that earlier places stay.
    for k in reversed(range(len(used_checks))):
        place = int(random.integers(bounds[k] + 1, max(bounds[k] + 1, bounds[k + 1]) + 1))
        items.insert(place, used_checks[k])
    return items


def _random(seed: int, stream: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, stream, number])


def _shuffled(values: Sequence[T], random: np.random.Generator) -> list[T]:
    return [values[k] for k in random.permutation(len(values))]


def sentences_of(pool: Pool, prediction: Prediction, budget: Budget, tasks: Sequence[Sequence[CampaignItem]]) -> list[str]:
    """Sentences on the choice, on lines that were left out, and on attention checks."""
    sentences = []
    if pool.empty:
        sentences.append(f"left out {counted(pool.empty, 'line')} of {pool.lines} without a source or a translation")
    if len(pool.segments) < pool.lines - pool.empty:
        sentences.append(f"chose from {len(pool.segments)} of {pool.lines - pool.empty} segments; --pool sets their number")
    counts = [sum(item.damaged_name is not None for item in task) for task in tasks]
    if any(count < checks_of_task(len(task) - count, budget) for task, count in zip(tasks, counts, strict=True)):
        sentences.append("fewer attention checks than wanted: the other translations are too short")
    people = counted(budget.annotators, "annotator")
    sentences.append(
        f"{counted(budget.segments, 'segment')} of {counted(len(pool.systems), 'system')} for {people}, by {prediction.label} "
        f"({prediction.model}); {sum(map(len, tasks))} pages, {counted(sum(counts), 'attention check')} among them"
    )
    return sentences
