"""Gains by chunks of treebanks as phrases: ``python -m benchmarks.smt.trees.extraction DATA CORPUS TEST PAIRS``.

CORPUS is ``squoia`` or ``multi30k``. TEST is the number of sentences to translate, PAIRS the limit of training pairs.

``squoia`` (DATA/squoia-de-es): German to Spanish, gold constituents: STR (s), CON (c), PERC (p) and all their subsets. ``multi30k``
(DATA/multi30k-de-en): German to English, governors by Assay's parsers: s, DEP (d) and both. Three seeds draw training pairs and
test sentences. Links are of Assay's aligner on the training pairs, whose target side gives one language model (4-grams). Weights are
Moses', untuned, without a model of orientation. Tables of subsets are merged
(``s+c``) or side by side in the decoder (``any s c``, ``all s c``). BLEU is sacreBLEU's, of lower-cased words.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import sacrebleu

from app.building.alignment.files import AlignmentFiles, align_files
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.resources.tagger import load_tagger
from app.settings import ROOT
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.corpus.trees.bracketing import chunk_tree
from app.smt.corpus.trees.chunk_extraction import extract_chunks
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.percolation import HeadTable
from app.smt.corpus.trees.provenance import Provenance, compare_extractions
from app.smt.corpus.trees.tree_pairs import Treebanks
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.building.loading import load_for
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.text.batch import pack_lines, pack_tokens
from app.text.trees.tree import Dependencies, Tree
from benchmarks.smt.systems.tuning import mean_with_interval
from benchmarks.smt.trees.alignment import PARTS, squoia
from benchmarks.text_lines import lines

SEEDS = (1, 2, 3)
LONGEST = 40
ORDER = 4
LIMITS = SearchLimits(stack=50)
Sentence = Tree | Dependencies
Pair = tuple[Sentence, Sentence]


@dataclass(frozen=True)
class MemoryTreebanks(Treebanks):
    """Treebanks in memory."""

    pairs: Sequence[Pair] = field(default=())

    def trees(self) -> Iterator[tuple[Tree, Tree]]:
        tables = [None if name is None else HeadTable.of(name) for name in self.head_tables]
        for pair in self.pairs:
            source, target = (chunk_tree(sentence, self.method, table) for sentence, table in zip(pair, tables, strict=True))
            yield source, target


def lower_case(sentence: Sentence) -> Sentence:
    return replace(sentence, words=tuple(word.lower() for word in sentence.words))


def parse_lines(lines: Sequence[str], language: str) -> list[Dependencies]:
    """Governors by Assay's parser; the first word of a circle is a root too."""
    tagger = load_tagger(ROOT / "resources" / language / "tagger", language)
    assert tagger is not None and tagger.parses
    words = [line.split() for line in lines]
    annotation = tagger.annotate(pack_tokens(words), True)
    sentences, at = [], 0
    for tokens in words:
        heads = [int(head) if 0 <= head < len(tokens) else -1 for head in annotation.heads[at : at + len(tokens)]]
        at += len(tokens)
        for first in range(len(heads)):
            path, word = set[int](), first
            while word >= 0 and word not in path:
                path.add(word)
                word = heads[word]
            if word >= 0:
                heads[word] = -1
        sentences.append(Dependencies(tuple(tokens), ("",) * len(tokens), tuple(heads)).check(("", 0)))
    return sentences


# Name, trees, and tables of heads of both sides.
Method = tuple[str, Sequence[Pair], str | None, str | None]


def extractions(
    train: Sequence[Pair], methods: dict[str, Method], folder: Path, models: Sequence[OrientationModel] = ()
) -> dict[str, Path]:
    """Folders of the phrases of STR (s) and of each method; `folder` also gets the text, its links and a language model."""
    source, target, links = (folder / name for name in ("source", "target", "links"))
    for path, side in ((source, 0), (target, 1)):
        path.write_text("".join(" ".join(pair[side].words) + "\n" for pair in train), encoding="utf-8")
    align_files(source, target, AlignmentFiles(links=links))
    folders = {"s": folder / "s"}
    extract_phrases(source, target, links, folders["s"], models=models)
    for name, (method, trees, *tables) in methods.items():
        folders[name] = folder / name
        treebanks = MemoryTreebanks(source, target, method, (None, None), (tables[0], tables[1]), trees)
        extract_chunks(treebanks, links, folders[name], models=models)
    write_kenlm_trie(estimate_language_model(pack_lines(target.read_text("utf-8").splitlines()), ORDER), folder / "lm.binary")
    return folders


def run(
    train: Sequence[Pair], test: Sequence[tuple[str, str]], methods: dict[str, Method], folder: Path
) -> tuple[dict[str, tuple[float, int]], Provenance]:
    """BLEU and table size of every subset, and the provenance of the phrases in the union's translations."""
    folders = extractions(train, methods, folder)
    systems: dict[str, tuple[str, int]] = {}
    for extraction in merge_extractions(folders, folder / "merged", subsets=True):
        size = build_tables(extraction, folder / "tables" / extraction.name, TableOptions()).pairs
        table = str(folder / "tables" / extraction.name / PHRASE_TABLE)
        systems[extraction.name] = configuration(table, {}, str(folder / "lm.binary"), ORDER, LIMITS, 20), size
    single_tables = {
        name: (str(folder / "tables" / name / PHRASE_TABLE), size) for name, (_, size) in systems.items() if name in folders
    }
    for names in (name.split("+") for name in [*systems] if "+" in name and "s" in name):
        for way in ("any", "all"):
            paths = [single_tables[name][0] for name in names]
            ini = side_by_side(systems["s"][0], paths, way)
            systems[f"{way} {' '.join(names)}"] = ini, sum(single_tables[name][1] for name in names)
    scores: dict[str, tuple[float, int]] = {}
    phrase_counts: Counter[bytes] = Counter()
    for name, (text, size) in systems.items():
        (folder / "moses.ini").write_text(text)
        system, lines = load_for(folder / "moses.ini", [source_text for source_text, _ in test])
        decoder = Decoder(system, LIMITS)
        texts = []
        for line in lines:
            best = decoder.translate(line).best()
            assert best is not None
            texts.append(best.text)
            if name == "+".join(folders):
                words = line.split()
                phrase_counts.update(
                    f"{' '.join(words[phrase.start : phrase.end])} ||| {' '.join(phrase.words)}".encode() for phrase in best.phrases
                )
        scores[name] = sacrebleu.corpus_bleu(texts, [[reference for _, reference in test]], tokenize="none", force=True).score, size
    print(scores, file=sys.stderr, flush=True)
    return scores, compare_extractions(folders, phrase_counts)


def side_by_side(ini: str, tables: Sequence[str], way: str) -> str:
    """A configuration with several tables: ``any`` of them may have a phrase, or ``all`` have it and share their weights."""
    lines = []
    for line in ini.splitlines():
        if line == "0 T 0":
            lines += [f"{number if way == 'any' else 0} T {number}" for number in range(len(tables))]
        elif line.startswith("PhraseDictionaryMemory"):
            settings = line.partition(" path=")[0].partition(" ")[2].partition(" ")[2]
            lines += [
                f"PhraseDictionaryMemory name=TranslationModel{number} {settings} path={table} table-limit=20"
                for number, table in enumerate(tables)
            ]
        elif line.startswith("TranslationModel0="):
            weight = 0.2 if way == "any" else 0.2 / len(tables)
            lines += [f"TranslationModel{number}= {' '.join([str(weight)] * 4)}" for number in range(len(tables))]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def report(name: str, results: list[tuple[dict[str, tuple[float, int]], Provenance]]) -> None:
    print(f"\n{name}: BLEU of three seeds, mean, difference from s with its interval of 95 %, pairs in the table")
    for system in results[0][0]:
        scores = [scores[system][0] for scores, _ in results]
        gains = [scores[system][0] - scores["s"][0] for scores, _ in results]
        size = mean(scores[system][1] for scores, _ in results)
        cells = " ".join(f"{score:6.2f}" for score in scores)
        line = f"{system:12s} {cells} {mean(scores):6.2f} {mean_with_interval(gains)} {size:9.0f}"
        print(line, flush=True)
    totals: Counter[str] = Counter()
    for _, provenance in results:
        for row in provenance.regions():
            totals[str(row["in"])] += int(row["used"])
    print("used:", dict(totals))


def main() -> None:
    data, corpus, size, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    results = []
    if corpus == "squoia":
        pairs: list[Pair] = [
            (lower_case(pair[0]), lower_case(pair[1])) for part in PARTS for pair, _ in squoia(data / "squoia-de-es", part)
        ]
        pairs = [pair for pair in pairs if max(len(side.words) for side in pair) <= LONGEST]
        for seed in SEEDS:
            sample = random.Random(seed).sample(pairs, len(pairs))
            test = [(" ".join(source_tree.words), " ".join(target_tree.words)) for source_tree, target_tree in sample[:size]]
            train = sample[size : size + limit]
            methods: dict[str, Method] = {"c": ("con", train, None, None), "p": ("perc", train, "german", "spanish")}
            with TemporaryDirectory() as folder:
                results.append(run(train, test, methods, Path(folder)))
    else:
        splits = ("train", "test_2016_flickr")
        sides, tests = ([lines(data / "multi30k-de-en" / f"{split}.{side}.gz") for side in ("de", "en")] for split in splits)
        for seed in SEEDS:
            places = random.Random(seed).sample(range(len(sides[0])), limit)
            trees = [
                parse_lines([side[place] for place in places], language) for side, language in zip(sides, ("de", "en"), strict=True)
            ]
            test = random.Random(seed).sample(list(zip(*tests, strict=True)), size)
            train = list(zip(*trees, strict=True))
            with TemporaryDirectory() as folder:
                results.append(run(train, test, {"d": ("dep", train, None, None)}, Path(folder)))
    report(f"{corpus}, {limit} pairs at most", results)


if __name__ == "__main__":
    main()
