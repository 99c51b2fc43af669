"""A system of sil-machine and sil-thot by their own interface: what ``benchmarks.smt.systems.peer`` runs by the Python that has them.

Nothing of Assay is imported here, and nothing of theirs anywhere else, since they are no part of it. Options are those that
``ThotSmtParameters`` has by itself, and links are of the HMM, as sil-machine's own settings have them. Each command prints a line of JSON.
"""

import argparse
import json
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from machine.corpora import TextFileTextCorpus
from machine.corpora.corpora_utils import get_split_indices
from machine.translation.thot import ThotSmtModel, ThotSmtModelTrainer, ThotSmtParameters, ThotWordAlignmentModelType

LINKS = ThotWordAlignmentModelType.HMM
# The trainer draws so many pairs to tune on, of 10,000 and more; no others are its own.
TUNED_ON = 1000
SEED = 31415


def parameters(folder: Path, weights: list[float] | None = None) -> ThotSmtParameters:
    found = ThotSmtParameters(str(folder / "tm" / "src_trg"), str(folder / "lm" / "trg.lm"))
    return replace(found, model_weights=weights) if weights else found


def arranged(text: list[str], tuned_on: list[str], seed: int) -> list[str]:
    """Both texts as one, in such an order that the thousand pairs which the trainer draws to tune on are those of the second."""
    drawn = get_split_indices(len(text) + len(tuned_on), size=len(tuned_on), seed=seed)
    first, second = iter(text), iter(tuned_on)
    return [next(second if place in drawn else first) for place in range(len(text) + len(tuned_on))]


def train(folder: Path, *texts: Path) -> dict[str, Any]:
    """Train as it does by itself: it tunes on a thousand pairs, here those of the other text, and learns them in the end."""
    folder.mkdir(parents=True)
    begun: dict[str, float] = {}
    sides = [folder / "text.source", folder / "text.target"]
    for side, text, tuned_on in zip(sides, texts[:2], texts[2:], strict=True):
        lines = [path.read_text("utf-8").splitlines() for path in (text, tuned_on)]
        side.write_text("\n".join(arranged(lines[0], lines[1][:TUNED_ON], SEED)) + "\n", "utf-8")
    corpus = TextFileTextCorpus(str(sides[0])).align_rows(TextFileTextCorpus(str(sides[1])))
    with ThotSmtModelTrainer(LINKS, corpus, parameters(folder)) as trainer:
        trainer.seed = SEED
        trainer.train(lambda status: begun.setdefault(status.message, time.process_time()))
        trainer.save()
        weights = [float(weight) for weight in trainer.parameters.model_weights]
        pairs, bleu = trainer.stats.train_corpus_size, 100 * trainer.stats.metrics["bleu"]
    ends = [*list(begun.values())[1:], time.process_time()]
    steps = {name: end - begin for (name, begin), end in zip(begun.items(), ends, strict=True)}
    versions = [version("sil-thot"), version("sil-machine")]
    return {"steps": steps, "weights": weights, "pairs": pairs, "bleu": bleu, "versions": versions}


def translate(folder: Path, source: Path, out: Path, weights: list[float]) -> dict[str, Any]:
    """Translations, and the processor time that they took when all was loaded."""
    model = ThotSmtModel(LINKS, parameters(folder, weights))
    sources = [line.split() for line in source.read_text("utf-8").splitlines()]
    model.translate(sources[0])
    begin = time.process_time()
    found = model.translate_batch(sources)
    seconds = time.process_time() - begin
    out.write_text("".join(" ".join(one.target_tokens) + "\n" for one in found), encoding="utf-8")
    return {"seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["train", "translate"])
    parser.add_argument("paths", type=Path, nargs="+", help="the folder of the model and what the command takes")
    parser.add_argument("--weights", type=json.loads)
    given = parser.parse_args()
    done = translate(*given.paths, given.weights) if given.command == "translate" else train(*given.paths)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
