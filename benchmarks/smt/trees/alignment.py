"""Links of nodes and chunks against people's links: ``python -m benchmarks.smt.trees.alignment DATA``.

DATA has ``squoia-de-es`` and ``pud-aligned``. The first has trees of constituents with links of nodes and words: `good` and `fuzzy`
links count for precision, good ones for recall. The second has dependencies with links of content words. Lexical tables are of links
by Assay's aligner, trained on the words of these sentences alone. Seconds are of one processor.
"""

import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from lxml import etree

from app.building.alignment.aligner import train_aligner
from app.building.alignment.symmetrisation import symmetrise_links
from app.smt.corpus.phrases.extraction_kernels import extract_chunk
from app.smt.corpus.trees.bracketing import bracket
from app.smt.corpus.trees.chunk_extraction import chunk_rows
from app.smt.corpus.trees.node_alignment import NodeAligner
from app.smt.corpus.trees.reading import read_trees
from app.text.parallel_corpus import ParallelCorpus, WordLinks
from app.text.trees.tree import Dependencies, Tree

PARTS = ("AHK", "COSUDE", "FUNDACION", "IMF", "DW", "FOCUS", "LAI")
# Parts for the choice of the floor and the order of links, a quarter of all.
DEV_PARTS = ("DW", "FOCUS", "LAI")
LONGEST = 7
Pair = tuple[Tree, Tree]


def squoia(folder: Path, part: str) -> list[tuple[Pair, dict[tuple[int, int], str]]]:
    """Pairs of trees, of sentences with a link to one sentence alone, and the links of their elements."""
    sides = [
        {next(filter(None, tree.names)).rpartition("_")[0]: tree for tree in read_trees(folder / f"{part}_SQUOIA_{side}.xml.gz") if isinstance(tree, Tree)}
        for side in ("DE", "ES")
    ]  # fmt: skip
    root = etree.fromstring(gzip.decompress((folder / f"{part}_alignments_squoia_de_es.xml.gz").read_bytes()))
    links_of: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    sentences = []
    for element in root.iter("sen-align", "align"):
        ends = {node.get("treebank_id"): node.get("node_id") for node in element.iter("node")}
        if len(ends) == 2:
            names = tuple(ends[side].rpartition("_")[0] for side in ("de", "es"))
            if element.tag == "sen-align":
                sentences.append(names)
            else:
                links_of.setdefault(names, []).append((ends["de"], ends["es"], element.get("type")))
    times = [Counter(names[side] for names in sentences) for side in (0, 1)]
    pairs = []
    for names in sentences:
        if all(times[side][names[side]] == 1 and names[side] in sides[side] for side in (0, 1)):
            trees = sides[0][names[0]], sides[1][names[1]]
            number = [{name: place for place, name in enumerate(tree.names)} for tree in trees]
            links = {(number[0][source_name], number[1][target_name]): kind for source_name, target_name, kind in links_of.get(names, []) if source_name in number[0] and target_name in number[1]}  # fmt: skip
            pairs.append((trees, links))
    return pairs


def word_links(pairs: Sequence[Pair]) -> WordLinks:
    """Links of words by Assay's aligner, as in `assay resources align`."""
    corpus = ParallelCorpus.of_lines(*([" ".join(pair[side].words).lower() for pair in pairs] for side in (0, 1)))
    links = train_aligner(corpus).align(corpus)
    return symmetrise_links(links.forward, links.reverse)


def node_aligner(pairs: Sequence[Pair], links: WordLinks, mixed: bool) -> NodeAligner:
    """Aligner by relative frequencies of links, as in `lex.e2f` and `lex.f2e`."""
    counts: Counter[tuple[str, str]] = Counter()
    for number, (source, target) in enumerate(pairs):
        inside = slice(*links.offsets[number : number + 2])
        ends = list(zip(links.source[inside].tolist(), links.target[inside].tolist(), strict=True))
        counts.update((source.words[i], target.words[j]) for i, j in ends)
        counts.update((source.words[i], "NULL") for i in set(range(len(source.words))) - {i for i, _ in ends})
        counts.update(("NULL", target.words[j]) for j in set(range(len(target.words))) - {j for _, j in ends})
    totals = [Counter[str](), Counter[str]()]
    for pair, count in counts.items():
        for side in (0, 1):
            totals[side][pair[side]] += count
    with TemporaryDirectory() as folder:
        for name, side in (("lex.e2f", 1), ("lex.f2e", 0)):
            lines = (f"{pair[1 - side]} {pair[side]} {count / totals[side][pair[side]]:.7f}\n" for pair, count in counts.items())
            (Path(folder) / name).write_text("".join(lines), encoding="utf-8")
        return NodeAligner.read(Path(folder), mixed=mixed)


def nodes(folder: Path) -> None:
    parts = {part: squoia(folder, part) for part in PARTS}
    pairs = [pair for part in parts.values() for pair, _ in part]
    aligner = node_aligner(pairs, word_links(pairs), False)
    print(
        f"{'squoia de-es':16s} {'pairs':>5s}   {'nodes: P':>8s} {'R':>5s} {'F':>5s}   {'words: P':>8s} {'R':>5s} {'F':>5s} {'s':>5s}"
    )
    for title, names in (("chosen on", DEV_PARTS), ("others", tuple(set(PARTS) - set(DEV_PARTS))), ("all", PARTS)):
        hits: Counter[tuple[bool, str]] = Counter()
        before, count = time.process_time(), 0
        for part in names:
            for (source, target), gold in parts[part]:
                count += 1
                for link in aligner.align(source, target):
                    kind = link[0] >= len(source.words)
                    hits[kind, "ours"] += 1
                    hits[kind, "right"] += link in gold
                    hits[kind, "good"] += gold.get(link) == "good"
                for (source_node, target_node), kind_of in gold.items():
                    if (source_node >= len(source.words)) == (target_node >= len(target.words)):
                        hits[source_node >= len(source.words), "gold"] += kind_of == "good"
        seconds = time.process_time() - before
        cells = []
        for kind in (True, False):
            precision, recall = hits[kind, "right"] / hits[kind, "ours"], hits[kind, "good"] / hits[kind, "gold"]
            cells.append(f"{precision:8.3f} {recall:5.3f} {2 * precision * recall / (precision + recall):5.3f}")
        print(f"{title:16s} {count:5d}   {'   '.join(cells)} {seconds:5.1f}")


def agreement_counts(rows: np.ndarray, gold: np.ndarray) -> tuple[int, int]:
    """Number of rows of spans with a gold link inside, and of those without a gold link that leaves them."""
    inside = [(gold[:, side] >= rows[:, 2 * side, None]) & (gold[:, side] <= rows[:, 2 * side + 1, None]) for side in (0, 1)]
    mask = (inside[0] & inside[1]).any(axis=1)
    return int(mask.sum()), int((mask & (inside[0] == inside[1]).all(axis=1)).sum())


def chunks(folder: Path) -> None:
    print(
        f"\n{'pud':6s} {'pairs':>5s} {'method':16s} {'pairs of chunks':>15s} {'with gold link':>14s} {'agree with all':>14s} {'s':>5s}"
    )
    for name in ("en-fr", "en-ru", "en-zh", "en-jp", "en-ko"):
        sides = [list(read_trees(folder / name / f"{side}.conllu.gz")) for side in ("en", "target")]
        trees = [[bracket(sentence) for sentence in side if isinstance(sentence, Dependencies)] for side in sides]
        pairs = list(zip(*trees, strict=True))
        gold_links = json.loads(gzip.decompress((folder / name / "alignment.json.gz").read_bytes()))
        links = word_links(pairs)
        aligner = node_aligner(pairs, links, True)
        totals: dict[str, list[float]] = {}
        for number, (source, target) in enumerate(pairs):
            gold = np.array(
                [(int(source_number) - 1, int(target_number) - 1) for source_number, target_numbers in gold_links[number].items() for target_number in target_numbers if source_number.isdigit() and target_number.isdigit()]
            ).reshape(-1, 2)  # fmt: skip
            inside = slice(*links.offsets[number : number + 2])
            ends = links.source[inside], links.target[inside]
            before = time.process_time()
            elements = aligner.align(source, target)
            seconds = time.process_time() - before
            offsets = (np.array([0, len(tree.words)]) for tree in (source, target))
            rows = {
                "dep": chunk_rows(source, target, elements, ends),
                "dep --consistent": chunk_rows(source, target, elements, ends, None, True),
                "str": extract_chunk(*offsets, *ends, np.array([0, len(ends[0])]), LONGEST)[:, 1:],
            }
            for method, spans in rows.items():
                cells = totals.setdefault(method, [0, 0, 0, 0.0])
                for place, value in enumerate((len(spans), *agreement_counts(spans, gold), seconds if method != "str" else 0.0)):
                    cells[place] += value
        for method, (count, linked_count, agreeing, seconds) in totals.items():
            shares = f"{linked_count / count:14.3f} {agreeing / linked_count:14.3f}"
            print(f"{name:6s} {len(pairs):5d} {method:16s} {count:15.0f} {shares} {seconds:5.1f}")


def main() -> None:
    nodes(Path(sys.argv[1]) / "squoia-de-es")
    chunks(Path(sys.argv[1]) / "pud-aligned")


if __name__ == "__main__":
    main()
