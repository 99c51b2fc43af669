"""Predictions with Assay's own taggers in place of UDPipe's: ``python -m benchmarks.taggers DATA [--segments 1000]``.

DATA is the MLQE-PE folder. Shipped models, trained with UDPipe's tags, answer the first dev segments of each pair with a tagger, by the
tags of either. The table has Pearson with DA and HTER in the profile `fast` (with ``--encoder auto``: `accurate`), Matthews' correlation
of word tags, and the correlation of both answers.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import pearsonr
from sklearn.metrics import matthews_corrcoef

from app.engine import Engine
from app.engine.segments import Segments
from app.features import View
from app.resources.tagger import TaggerChoice
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import split_of
from scripts.mlqe_pe.words import TaggedText, read_tagged_text

PAIRS = ("en-de", "en-zh", "et-en", "ro-en", "ru-en")
TAGGERS = {"UDPipe": "none", "own": "all"}


def engine_with(taggers: str, encoder: str) -> Engine:
    settings = Settings()
    profile = "fast" if encoder == "none" else "accurate"
    choice = TaggerChoice.of(taggers)
    return Engine.open(settings.resources_dir, settings.models_dir, tagging=choice, profile=profile, encoder=encoder)


def word_correlation(engine: Engine, gold: TaggedText) -> float:
    """Matthews' correlation of word tags from the texts alone, with the tokens of the data."""
    view = View(gold.batch, engine.pair_resources(gold.batch.pair))
    tagger = engine.word_tagger_for(gold.batch.pair, None, frozenset())
    tags = tagger.tag(view)
    return float(matthews_corrcoef(gold.words, tags.words >= tags.word_threshold))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.taggers", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--encoder", default="none")
    options = parser.parse_args()
    engines = {name: engine_with(setting, options.encoder) for name, setting in TAGGERS.items()}
    print("| Pair | DA, UDPipe | own | both answers | HTER, UDPipe | own | both answers | words, UDPipe | own |")
    print("| --- |" + " --- |" * 8)
    for name in PAIRS:
        pair = LanguagePair.parse(name)
        split = split_of(options.data, pair, "dev")
        rows = slice(0, options.segments)
        segments = Segments(pair, split.column("source")[rows], split.column("translation")[rows])
        cells = []
        for label in ("da", "hter"):
            means = [engine.quality(segments, label=label).prediction.mean for engine in engines.values()]
            cells += [pearsonr(mean, split.labels(label)[rows])[0] for mean in means] + [pearsonr(*means)[0]]
        gold = read_tagged_text(options.data / name, pair, "dev")
        cells += [word_correlation(engine, gold) for engine in engines.values()]
        print(f"| {name} | " + " | ".join(f"{np.round(cell, 4):.4f}" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
