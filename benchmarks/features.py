"""Pairs per second of feature extraction, one process: ``python -m benchmarks.features QUESTPP``.

QUESTPP is the folder of the QuEst++ reference values. Its training text gives the resources, and its input is extracted.
QuEst++ itself needs 1.6 s for the 17 features of 20,000 tokenised pairs and 2.3 s for the 67 (Java, start-up of 0.4 s
included, language-model scores read from a file): 12,500 and 8,700 pairs/s. The peers, in this run, are sacremoses for
tokenisation and KenLM's own package for the language model.
"""

import argparse
import gzip
import resource
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
from benchmarks.figures import Spread, Table, add_json_option

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


def alternate(runs: int, *works: Callable[[], object]) -> list[list[float]]:
    """Seconds of each work, in turns."""
    turns = [[seconds(work) for work in works] for _ in range(runs)]
    return [list(times) for times in zip(*turns, strict=True)]


def one_pair(source: str, target: str, name: str, pair_resources: PairResources) -> tuple[float, float]:
    """Milliseconds of a pair: the best of tokenised calls and the median of raw calls."""
    batch, features = tokenised([source], [target]), feature_set(name)
    best = min(seconds(lambda: extract_features(batch, features, pair_resources)) for _ in range(200))
    times = sorted(seconds(lambda: extract_features(raw([source], [target]), features, pair_resources)) for _ in range(200))
    return 1e3 * best, 1e3 * times[100]


def main() -> None:
    parser = argparse.ArgumentParser(description="Features beside QuEst++, sacremoses and KenLM.")
    parser.add_argument("questpp", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    add_json_option(parser)
    options = parser.parse_args()
    folder, runs = options.questpp, range(options.runs)
    columns = {"work": "", "input": "", "a second": ",.0f", "peer": "", "ratio": ".1f", "ms of one pair": ".3f"}
    table = Table("features", columns, options.json, ["sacremoses", "ufal.kenlm"])
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
            best, median = one_pair(inputs[0][0], inputs[1][0], name, pair_resources)
            rates = [N / seconds(run(tokenised, name)) for _ in runs]
            quest = Spread([rate / QUEST[name] for rate in rates]) if name in QUEST else None
            table.add(name, "tokens", Spread(rates), "QuEst++" if quest else None, quest, best)
            table.add(name, "texts", Spread([N / seconds(run(raw, name)) for _ in runs]), None, None, median)
        words = MosesTokenizer("en")
        assay_seconds, peer_seconds = alternate(
            options.runs,
            lambda: [tokeniser_for("en")(text) for text in inputs[0]],
            lambda: [words.tokenize(text, escape=False) for text in inputs[0][:4000]],
        )
        ratios = [peer * N / 4000 / assay for assay, peer in zip(assay_seconds, peer_seconds, strict=True)]
        table.add("Moses tokens", "texts", Spread([N / time for time in assay_seconds]), "sacremoses", Spread(ratios), None)
        batch, model = tokenised(*inputs), pair_resources.target_model
        assert model is not None
        peer = kenlm.Model(str(Path(scratch) / "de"))
        assay_seconds, peer_seconds = alternate(
            options.runs,
            lambda: model.score(batch.translation),
            lambda: [sum(p for p, _, oov in peer.full_scores(line) if not oov) for line in inputs[1]],
        )
        ratios = [peer / assay for assay, peer in zip(assay_seconds, peer_seconds, strict=True)]
        words_per_second = Spread([len(batch.translation.ids) / time for time in assay_seconds])
        table.add("words of a language model", "tokens", words_per_second, "KenLM's full_scores", Spread(ratios), None)
    print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
