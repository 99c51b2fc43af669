"""Choice among systems by predicted quality: ``python -m benchmarks.smt.lists.quality_reranking DATA/wmt-mqm [SEGMENTS]``.

TED talks, English-German: the translations of all systems are a list for each segment. People's MQM scores (0 is perfect, a major
error 5, a minor one 1) measure choices. Least squares fits weights of features to ranks on one half of the segments; they
choose on the other half, both ways. Intervals are of 1,000 resamples of segments. Only segments of all systems count.
"""

import csv
import gzip
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from app.arrays import Float64s
from app.engine import Engine
from app.settings import Settings
from app.smt.lists.reranking.columns import with_features, with_values
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.operations.parts.n_best.fields import QUALITY
from app.smt.operations.parts.n_best.quality_columns import quality_features
from app.text import LanguagePair
from app.text.n_best import NBestLists

SEVERITIES = {"Major": 5.0, "Minor": 1.0, "Critical": 10.0}
HUMAN = ("ref", "human")
POSTERIORS = ["mbr", "mbr|metric:chrf", "np|order:2", "len", "lenr"]


def read(path: Path) -> dict[str, dict[str, tuple[str, float]]]:
    """Return the systems' translations of each source, with penalties (means over raters)."""
    csv.field_size_limit(1 << 24)
    penalties: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["system"].lower().startswith(HUMAN):
                continue
            source, system = re.sub(r"</?v>", "", row["source"]), row["system"]
            texts[source][system] = re.sub(r"</?v>", "", row["target"])
            penalties[source, system][row["rater"]] += SEVERITIES.get(row["severity"].capitalize(), 0.0)
    return {
        source: {name: (text, float(np.mean(list(penalties[source, name].values())))) for name, text in row.items()}
        for source, row in texts.items()
    }


def report(name: str, penalties: Float64s, usual: Float64s) -> None:
    """Print a row: the mean penalty of a choice, and its difference from the mean of all systems."""
    rng = np.random.default_rng(12345)
    draws = rng.integers(0, len(penalties), (1000, len(penalties)))
    low, high = np.percentile((penalties - usual)[draws].mean(1), [2.5, 97.5])
    print(f"| {name} | {penalties.mean():.3f} | {(penalties - usual).mean():+.3f} ({low:+.3f} to {high:+.3f}) |", flush=True)


def main(folder: Path, segments: int) -> None:
    rows = read(folder / "mqm_ted_ende.tsv.gz")
    systems = sorted({name for row in rows.values() for name in row})
    rows = {source: row for source, row in list(rows.items()) if len(row) == len(systems)}
    sources = list(rows)[:segments]
    lists = NBestLists.from_json([[{"text": rows[source][name][0], "score": 0.0} for name in systems] for source in sources])
    penalty = np.array([[rows[source][name][1] for name in systems] for source in sources])
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    values = quality_features(engine, LanguagePair("en", "de"), lists, sources, QUALITY, label="da")
    lists = with_values(with_features(lists, POSTERIORS, RerankingResources(), sources), QUALITY, values)
    table = lists.features.reshape(len(sources), len(systems), -1)
    usual = penalty.mean(1)
    print(f"{len(sources)} segments of {len(systems)} systems; mean penalty of each {penalty.mean():.3f}")
    print("| choice | mean MQM penalty | less than the systems' mean (95 %) |\n| --- | --- | --- |")
    chance = np.random.default_rng(1).random(penalty.shape)
    best = int(np.argmin(penalty.mean(0)))
    report(f"best system ({systems[best]})", penalty[:, best], usual)
    for name in lists.names:
        column = table[:, :, lists.names.index(name)]
        # The sign of features without a quality model is plain; lenr has none.
        sign = {"mbr": 1, "mbr|metric:chrf": 1, "qe": 1, "qe-words": -1, "qe-warnings": -1}.get(name, 0)
        if not sign:
            continue
        # Ties are broken at random.
        best_ones = sign * column == (sign * column).max(1, keepdims=True)
        choice = np.where(best_ones, chance, -1.0).argmax(1)
        report(name, penalty[np.arange(len(sources)), choice], usual)
    sets = {"mbr, posteriors": POSTERIORS, "quality": list(QUALITY), "both": [*POSTERIORS, *QUALITY]}
    for name, members in sets.items():
        places = [lists.names.index(member) for member in members]
        differences = table[:, :, places] - table[:, :, places].mean(1, keepdims=True)
        # Ranks, since a few penalties are many times as large as the rest.
        goal = rankdata(penalty, axis=1) - (penalty.shape[1] + 1) / 2
        choice = np.empty(len(sources), np.int64)
        for half in (0, 1):
            half_mask = np.arange(len(sources)) % 2 == half
            inside = differences[half_mask].reshape(-1, len(places))
            scale = np.maximum(inside.std(0), 1e-9)
            weights = np.linalg.solve(
                (inside / scale).T @ (inside / scale) + 10 * np.eye(len(places)), (inside / scale).T @ goal[half_mask].ravel()
            )
            choice[~half_mask] = (differences[~half_mask] / scale @ weights).argmin(1)
        report(f"{name}, tuned on the other half", penalty[np.arange(len(sources)), choice], usual)
    report("oracle", penalty.min(1), usual)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
