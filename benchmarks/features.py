"""Segments per second of feature extraction and prediction, one process: ``python -m benchmarks.features``.

The peer of the language-model part is KenLM's own Python package on the same file and the same tokens; of tokenisation, sacremoses
(which does most of ours).
"""

import time

import kenlm
import numpy as np

from app.engine import Engine, Segments
from app.features import extract_features, feature_set
from app.settings import Settings
from app.text import LanguagePair

N = 10_000
PAIR = LanguagePair("ro", "en")
SOURCE = "Guvernul numește un prefect în fiecare județ pentru a fi reprezentantul său local"
TARGET = "The Government appoints a prefect to each county to be its local representative"


def main() -> None:
    settings = Settings()
    engine = Engine.load(settings.resources_dir, settings.models_dir)
    rng = np.random.default_rng(1)

    def shuffled(text: str) -> list[str]:
        words = text.split()
        return [" ".join(rng.permutation(words)[: rng.integers(4, len(words) + 1)]) + " ." for _ in range(N)]

    sent = Segments(PAIR, shuffled(SOURCE), shuffled(TARGET))
    known = engine.pair_resources(PAIR)
    begun = time.perf_counter()
    batch = engine.batch(sent)
    tokenised = time.perf_counter()
    values = extract_features(batch, feature_set("quest-baseline-17"), known).values
    extracted = time.perf_counter()
    engine.models["ro-en-da-gp-17"].predict(values)
    predicted = time.perf_counter()
    engine.models["ro-en-da-svr-17"].predict(values)
    predicted_too = time.perf_counter()
    rows = [
        ("tokenise both sides", tokenised - begun),
        ("17 features of tokenised pairs", extracted - tokenised),
        ("predict, Gaussian process", predicted - extracted),
        ("predict, SVR", predicted_too - predicted),
        ("17 features of raw pairs", extracted - begun),
    ]
    for name, seconds in rows:
        print(f"{name:34s} {N / seconds:10,.0f} pairs/s")
    model = known.need_target_model()
    begun = time.perf_counter()
    model.score(batch.translation)
    ours = time.perf_counter() - begun
    peer = kenlm.Model(str(settings.resources_dir / "en" / "lm.binary"))
    lines = [" ".join(batch.translation.tokens(i)) for i in range(N)]
    begun = time.perf_counter()
    for line in lines:
        sum(p for p, _, oov in peer.full_scores(line) if not oov)
    theirs = time.perf_counter() - begun
    print(
        f"{'language model':34s} {len(batch.translation.ids) / ours:10,.0f} words/s, {theirs / ours:.1f} times KenLM's full_scores"
    )


if __name__ == "__main__":
    main()
