"""Links of content words by hand: ``python -m benchmarks.content_links DATA [EFLOMAL]``.

DATA has the folder ``pud-aligned``: 884 to 999 sentences of Universal Dependencies' parallel treebanks, whose English content words are
linked by hand. Each aligner learns from the treebanks' lower-cased words alone. Its links are symmetrised by grow-diag-final-and.
Precision, recall and F1 count links of English words that have a gold link. EFLOMAL as in `benchmarks.alignment`.
"""

import gzip
import json
import sys
from pathlib import Path

from app.text.parallel_corpus import ParallelCorpus, WordLinks
from benchmarks.alignment import eflomal, sampled, seconds, variational

Links = list[set[tuple[int, int]]]
PAIRS = ("en-fr", "en-ru", "en-zh", "en-jp", "en-ko")


def words(path: Path) -> list[dict[str, tuple[int, str]]]:
    """Place and form of the words of each sentence by their ids, without contractions and empty nodes."""
    sentences: list[dict[str, tuple[int, str]]] = []
    for block in gzip.open(path, "rt", encoding="utf-8").read().strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        rows = [(row[0], "".join(row[1].split()).lower()) for row in rows if row[0].isdecimal()]
        sentences.append({number: (place, form) for place, (number, form) in enumerate(rows)})
    return sentences


def gold_links(path: Path, source: list[dict[str, tuple[int, str]]], target: list[dict[str, tuple[int, str]]]) -> Links:
    links: Links = []
    for row, numbers in enumerate(json.loads(gzip.open(path).read())):
        pairs = (
            (source_number, target_number) for source_number, target_numbers in numbers.items() for target_number in target_numbers
        )
        links.append({(source[row][a][0], target[row][b][0]) for a, b in pairs if a in source[row] and b in target[row]})
    return links


def accuracy(links: WordLinks, gold: Links) -> tuple[float, float, float]:
    hypotheses = [{(int(i), int(j)) for i, j in (link.split("-") for link in line.split())} for line in links.lines()]
    linked_places = [{i for i, _ in row} for row in gold]
    hypotheses = [{(i, j) for i, j in row if i in places} for row, places in zip(hypotheses, linked_places, strict=True)]
    hits = sum(len(hypothesis & reference) for hypothesis, reference in zip(hypotheses, gold, strict=True))
    precision, recall = hits / sum(map(len, hypotheses)), hits / sum(map(len, gold))
    return precision, recall, 2 * precision * recall / (precision + recall)


def main() -> None:
    methods = {"sampled": sampled, "variational": variational}
    if len(sys.argv) > 2:
        methods["eflomal"] = lambda corpus: eflomal(sys.argv[2], corpus)
    sampled(ParallelCorpus.of_lines(["a b", "a"], ["x y", "x"]))
    variational(ParallelCorpus.of_lines(["a b", "a"], ["x y", "x"]))
    print(f"{'pair':6s} {'method':12s} {'precision':>9s} {'recall':>7s} {'F1':>6s} {'s':>5s}")
    for pair in PAIRS:
        folder = Path(sys.argv[1]) / "pud-aligned" / pair
        source, target = words(folder / "en.conllu.gz"), words(folder / "target.conllu.gz")
        gold = gold_links(folder / "alignment.json.gz", source, target)
        lines = [[" ".join(form for _, form in row.values()) for row in side[: len(gold)]] for side in (source, target)]
        corpus = ParallelCorpus.of_lines(*lines)
        for name, align in methods.items():
            start = seconds()
            precision, recall, f1 = accuracy(align(corpus), gold)
            print(f"{pair:6s} {name:12s} {precision:9.3f} {recall:7.3f} {f1:6.3f} {seconds() - start:5.1f}", flush=True)


if __name__ == "__main__":
    main()
