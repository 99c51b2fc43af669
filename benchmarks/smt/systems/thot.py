"""Steps of sil-machine and sil-thot by their own interface, for ``benchmarks.smt.systems.peer`` and its other Python.

This module imports nothing of Assay, and no other module imports theirs, since they are no part of it. Options are the defaults of
``ThotSmtParameters``, and links are of the HMM, as in sil-machine's own settings. Each command prints a line of JSON.
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
# The trainer draws this many pairs for tuning from 10,000 and more; it has no other development text.
DEV_SIZE = 1000
SEED = 31415


def parameters(folder: Path, weights: list[float] | None = None) -> ThotSmtParameters:
    settings = ThotSmtParameters(str(folder / "tm" / "src_trg"), str(folder / "lm" / "trg.lm"))
    return replace(settings, model_weights=weights) if weights else settings


def arranged(text: list[str], dev_text: list[str], seed: int) -> list[str]:
    """Both texts as one, in an order for which the trainer's draw of pairs for tuning is the second text."""
    places = get_split_indices(len(text) + len(dev_text), size=len(dev_text), seed=seed)
    first, second = iter(text), iter(dev_text)
    return [next(second if place in places else first) for place in range(len(text) + len(dev_text))]


def train(folder: Path, *texts: Path) -> dict[str, Any]:
    """Train with defaults: it tunes on a thousand pairs, here those of the second text, and learns them in the end."""
    folder.mkdir(parents=True)
    starts: dict[str, float] = {}
    sides = [folder / "text.source", folder / "text.target"]
    for side, text, dev_path in zip(sides, texts[:2], texts[2:], strict=True):
        lines = [path.read_text("utf-8").splitlines() for path in (text, dev_path)]
        side.write_text("\n".join(arranged(lines[0], lines[1][:DEV_SIZE], SEED)) + "\n", "utf-8")
    corpus = TextFileTextCorpus(str(sides[0])).align_rows(TextFileTextCorpus(str(sides[1])))
    with ThotSmtModelTrainer(LINKS, corpus, parameters(folder)) as trainer:
        trainer.seed = SEED
        trainer.train(lambda status: starts.setdefault(status.message, time.process_time()))
        trainer.save()
        weights = [float(weight) for weight in trainer.parameters.model_weights]
        pairs, bleu = trainer.stats.train_corpus_size, 100 * trainer.stats.metrics["bleu"]
    ends = [*list(starts.values())[1:], time.process_time()]
    steps = {name: end - begin for (name, begin), end in zip(starts.items(), ends, strict=True)}
    versions = [version("sil-thot"), version("sil-machine")]
    return {"steps": steps, "weights": weights, "pairs": pairs, "bleu": bleu, "versions": versions}


def translate(folder: Path, source: Path, out: Path, weights: list[float]) -> dict[str, Any]:
    """Translate, and return the processor seconds after loading."""
    model = ThotSmtModel(LINKS, parameters(folder, weights))
    sources = [line.split() for line in source.read_text("utf-8").splitlines()]
    model.translate(sources[0])
    begin = time.process_time()
    translations = model.translate_batch(sources)
    seconds = time.process_time() - begin
    out.write_text("".join(" ".join(translation.target_tokens) + "\n" for translation in translations), encoding="utf-8")
    return {"seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["train", "translate"])
    parser.add_argument("paths", type=Path, nargs="+", help="folder of the model, then files of the command")
    parser.add_argument("--weights", type=json.loads)
    options = parser.parse_args()
    result = translate(*options.paths, options.weights) if options.command == "translate" else train(*options.paths)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
