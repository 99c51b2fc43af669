"""Pairs per second of feature extraction, one process: ``python -m benchmarks.features QUESTPP``.

QUESTPP is the folder of the QuEst++ reference values. Its training text gives the resources, and its input is extracted.
QuEst++ itself needs 1.6 s for the 17 features of 20,000 tokenised pairs and 2.3 s for the 67 (Java, start-up of 0.4 s
included, language-model scores read from a file): 12,500 and 8,700 pairs/s. The peers, in this run, are sacremoses for
tokenisation and KenLM's own package for the language model.
"""

import gzip
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import kenlm
from sacremoses import MosesTokenizer

from app.building.arpa import read_arpa
from app.building.kenlm_trie import write_kenlm_trie
from app.building.lexical_table import read_lexical_table
from app.features import PairResources, extract_features, feature_set
from app.resources.language_models import open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.ngram_counts import NgramCounts
from app.text import LanguagePair, SegmentBatch, pack_lines, pack_tokens, tokeniser_for

N = 20_000
CHUNK = 500
PAIR = LanguagePair("en", "de")
QUEST = {"quest-baseline-17": 12_500, "blackbox-67": 8_700}


def lines(path: Path) -> list[str]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode("utf-8").split("\n")[:-1]


def resources(folder: Path, scratch: Path) -> PairResources:
    models = []
    for language in ("en", "de"):
        write_kenlm_trie(read_arpa(folder / f"{language}.arpa.gz"), scratch / language)
        models.append(open_language_model(scratch / language))
    counts = NgramCounts.count(pack_tokens([line.split() for line in lines(folder / "train.en.gz")]))
    table = LexicalTable.from_entries(read_lexical_table(folder / "lex.en-de.gz"))
    return PairResources(PAIR, models[0], models[1], counts, table)


def tokenised(source: list[str], target: list[str]) -> SegmentBatch:
    return SegmentBatch(PAIR, pack_lines(source), pack_lines(target))


def raw(source: list[str], target: list[str]) -> SegmentBatch:
    return SegmentBatch.build(tokeniser_for("en"), tokeniser_for("de"), source, target)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_pair(source: str, target: str, name: str, pair_resources: PairResources) -> tuple[float, float]:
    """Milliseconds of a pair: the best of tokenised calls and the median of raw calls."""
    batch, features = tokenised([source], [target]), feature_set(name)
    best = min(seconds(lambda: extract_features(batch, features, pair_resources)) for _ in range(200))
    times = sorted(seconds(lambda: extract_features(raw([source], [target]), features, pair_resources)) for _ in range(200))
    return 1e3 * best, 1e3 * times[100]


def main() -> None:
    folder = Path(sys.argv[1])
    train = [lines(folder / f"train.{language}.gz") for language in ("en", "de")]
    inputs = [(lines(folder / f"input.{language}") + side * 3)[:N] for language, side in zip(("en", "de"), train, strict=True)]
    with TemporaryDirectory() as scratch:
        pair_resources = resources(folder, Path(scratch))

        def run(make: Callable[[list[str], list[str]], SegmentBatch], name: str) -> Callable[[], object]:
            def work() -> None:
                for begin in range(0, N, CHUNK):
                    part = [side[begin : begin + CHUNK] for side in inputs]
                    extract_features(make(*part), feature_set(name), pair_resources)

            return work

        for name in ("quest-baseline-17", "blackbox-67", "text-only"):
            extract_features(tokenised(inputs[0][:10], inputs[1][:10]), feature_set(name), pair_resources)
            best = min(seconds(run(tokenised, name)) for _ in range(3))
            quest = f", {N / best / QUEST[name]:.1f} times QuEst++" if name in QUEST else ""
            print(f"{name:20s} tokenised {N / best:9,.0f} pairs/s{quest}")
            print(f"{name:20s} raw       {N / min(seconds(run(raw, name)) for _ in range(2)):9,.0f} pairs/s")
            best, median = one_pair(inputs[0][0], inputs[1][0], name, pair_resources)
            print(f"{name:20s} one pair  {best:9.3f} ms best tokenised, {median:.3f} ms median raw")
        words = MosesTokenizer("en")
        assay_seconds = seconds(lambda: [tokeniser_for("en")(text) for text in inputs[0]])
        peer_seconds = seconds(lambda: [words.tokenize(text, escape=False) for text in inputs[0][:4000]]) * len(inputs[0]) / 4000
        print(f"{'Moses tokens':20s} {N / assay_seconds:9,.0f} segments/s, {peer_seconds / assay_seconds:.1f} times sacremoses")
        batch, model = tokenised(*inputs), pair_resources.target_model
        assert model is not None
        assay_seconds = seconds(lambda: model.score(batch.translation))
        peer = kenlm.Model(str(Path(scratch) / "de"))
        peer_seconds = seconds(lambda: [sum(p for p, _, oov in peer.full_scores(line) if not oov) for line in inputs[1]])
        print(
            f"{'language model':20s} {len(batch.translation.ids) / assay_seconds:9,.0f} words/s, {peer_seconds / assay_seconds:.1f} times KenLM's full_scores"
        )
    print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
