"""Choice of segments for people against random choice: ``python -m benchmarks.campaigns PAIR=MQM... [--profile fast]``.

Each file has people's judgements of several systems (WMT's MQM table, or BioMQM's lines). A budget of segments is chosen as
`assay campaign make` does, and the systems are ordered by people's scores of the choice. The table has the share of pairs of systems in
the order that all segments give, as a mean over random pools. `disagreement` includes the variance of predictions, `spread` does not.
`both` is the choice of the command.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.planning.campaign_choice import choose_segments, disagreement
from app.settings import Settings
from app.text import LanguagePair
from app.text.mqm import read_mqm, segment_names
from app.text.reading.lines import TextFile, read_bytes

DRAWS: Final = 100
# Part of the segments in a pool.
PART: Final = 0.7
BUDGETS: Final = (10, 20, 40, 80)


@dataclass(frozen=True)
class JudgedPool:
    """Sources (n,) with people's scores, predicted scores and deviations of each system; shape (n, systems)."""

    sources: list[str]
    people: Float64s
    scores: Float64s
    stds: Float64s


def read_pool(pair: LanguagePair, path: Path, engine: Engine) -> JudgedPool:
    """Segments of a file that all systems translated."""
    rows = read_mqm(TextFile(path.name, read_bytes(path)), ".jsonl" not in path.suffixes)
    by_segment: dict[str, dict[str, int]] = {}
    for number, (name, row) in enumerate(zip(segment_names(rows), rows, strict=True)):
        by_segment.setdefault(name, {}).setdefault(row.system, number)
    # A system that judged few segments would leave few to choose from.
    counts = {system: sum(system in row_of for row_of in by_segment.values()) for system in {row.system for row in rows}}
    systems = sorted(system for system, count in counts.items() if count >= 0.6 * max(counts.values()))
    segments = [row_of for row_of in by_segment.values() if all(system in row_of for system in systems)]
    order = [rows[row_of[system]] for row_of in segments for system in systems]
    answer = engine.quality(Segments(pair, [row.source for row in order], [row.translation for row in order]))
    sign = 1.0 if answer.model.label.higher_is_better else -1.0
    shape = len(segments), len(systems)
    people = np.array([row.score for row in order]).reshape(shape)
    sources = [rows[row_of[systems[0]]].source for row_of in segments]
    return JudgedPool(sources, people, sign * answer.prediction.mean.reshape(shape), answer.prediction.std.reshape(shape))


def agreement(people: Float64s, rows: Sequence[int] | Int64s) -> float:
    """Share of pairs of systems whose order by chosen rows is that of all rows; an equal mean counts half."""
    overall, part = people.mean(0), people[np.asarray(rows)].mean(0)
    pairs = [(a, b) for a, b in combinations(range(people.shape[1]), 2) if overall[a] != overall[b]]
    return float(np.mean([0.5 + 0.5 * np.sign((overall[a] - overall[b]) * (part[a] - part[b])) for a, b in pairs]))


def agreements(pool: JudgedPool, budget: int) -> dict[str, float]:
    """Mean agreement of each choice with all segments, over pools of a random part of the segments."""
    random = np.random.default_rng(1)
    means: dict[str, list[float]] = {}
    for draw in range(DRAWS):
        rows = random.permutation(len(pool.sources))[: int(len(pool.sources) * PART)]
        sources = [pool.sources[row] for row in rows]
        worth = disagreement(pool.scores[rows], pool.stds[rows])
        choices: Mapping[str, Int64s] = {
            "random": np.arange(budget),
            "disagreement": np.argsort(-worth, kind="stable")[:budget],
            "spread": np.argsort(-pool.scores[rows].std(1), kind="stable")[:budget],
            "diversity": choose_segments(sources, np.ones(len(rows)), budget, draw),
            "spread and diversity": choose_segments(sources, pool.scores[rows].std(1), budget, draw),
            "both": choose_segments(sources, worth, budget, draw),
        }
        for name, choice in choices.items():
            means.setdefault(name, []).append(agreement(pool.people, rows[choice]))
    return {name: float(np.mean(values)) for name, values in means.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="PAIR=MQM")
    parser.add_argument("--profile")
    options = parser.parse_args()
    engine = Engine.of_settings(Settings()).at(options.profile)
    totals: dict[int, list[dict[str, float]]] = {}
    for spec in options.files:
        name, _, path = spec.partition("=")
        pool = read_pool(LanguagePair.parse(name), Path(path), engine)
        for budget in BUDGETS:
            if budget <= len(pool.sources) // 3:
                cells = agreements(pool, budget)
                totals.setdefault(budget, []).append(cells)
                print(
                    name,
                    len(pool.sources),
                    pool.people.shape[1],
                    budget,
                    {key: round(value, 3) for key, value in cells.items()},
                    flush=True,
                )
    print("| Segments | Sets | " + " | ".join(next(iter(totals.values()))[0]) + " |")
    for budget, rows in totals.items():
        means = [f"{np.mean([row[name] for row in rows]):.3f}" for name in rows[0]]
        print(f"| {budget} | {len(rows)} | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
