"""A phrase-based system of parallel text: how good it is without tuning and under each method of tuning, with jumps and without.

    assay smt train train.de train.en --out SYSTEM --untuned
    python -m benchmarks.smt SYSTEM DEV_SOURCE DEV_TARGET TEST_SOURCE TEST_TARGET --work FOLDER [--methods mira pro ...]

Texts are as the system's own. Every method tunes by translating again, once for each limit of jumps and each seed, from lists of the
first round that all of a limit have in common; ``operators`` is SampleRank with a decoder's operators, as ``assay samplerank``. BLEU
is of tokens as they are (sacreBLEU's with ``tokenize="none"``). Figures are printed as they come, and results stay in FOLDER, so that
a run that was stopped goes on; in the end there are means with Student's 95 % intervals, and paired bootstraps on the test set
between limits of jumps: of the runs whose weights are best on the development text, and of all seeds of a method.
"""

import argparse
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from app.metrics import Metric, metric_named
from app.text.reading.lines import TextFile
from app.translation.moses_ini import Limits
from app.translation.sampling.tuner import SamplingOptions, tune_by_sampling
from app.translation.system import Parts, load_parts, system_of
from app.translation.text_phrases import TextPhrases
from app.translation.tuning.rounds import STEP, RoundOptions, tune_by_rounds
from app.translation.tuning.translating import translate_text
from app.tuning.significance import compare_choices

METHODS = ("mert", "mira", "pro", "samplerank", "operators")


@dataclass(frozen=True)
class Text:
    """Sentences and their references."""

    sources: list[str]
    references: list[str]

    @classmethod
    def of(cls, source: Path, target: Path, count: int) -> "Text":
        sources, references = (list(TextFile.of(path).lines()) for path in (source, target))
        return cls(sources[: count or None], references[: count or None])


def translated(parts: Parts, weights: Any, limits: Limits, text: Text) -> list[str]:
    system = system_of(parts, np.array(weights))
    return [one.text for one in translate_text(system, limits, text.sources, 0, 1)]


def score(metric: Metric, translations: list[str], text: Text) -> float:
    return float(metric.score(metric.prepare([text.references]).statistics(translations).sum(0)[None])[0])


def tuned(parts: Parts, method: str, seed: int, limits: Limits, given: argparse.Namespace, dev: Text, folder: Path) -> Any:
    """A run: its weights, scores of its rounds, the score on the development text, and its processor time."""
    metric = metric_named("bleu|tok:none")
    begin = time.process_time()
    if method == "operators":
        options = SamplingOptions(epochs=given.rounds, seed=seed, limits=limits)
        sampled = tune_by_sampling(parts, dev.sources, [dev.references], metric, options)
        seconds = time.process_time() - begin
        weights, scores = sampled.best.weights, [epoch.score for epoch in sampled.epochs]
        best = score(metric, translated(parts, weights, limits, dev), dev)
    else:
        first = given.work / f"first-{limits.distortion}"
        for path in first.glob("round-0.*"):
            shutil.copy(path, folder)
        # A round has its seed and the number of the round: those of two seeds have none in common.
        settings = RoundOptions(method, 100 * seed, given.rounds, given.list_length, limits, given.step, threads=1)
        rounds = tune_by_rounds(parts, dev.sources, [dev.references], metric, settings, folder)
        seconds = time.process_time() - begin
        if not first.exists():
            first.mkdir()
            for path in folder.glob("round-0.*"):
                shutil.copy(path, first)
        weights, scores, best = rounds.best.weights, [one.score for one in rounds.rounds], rounds.best.score
    return {"weights": weights.tolist(), "rounds": scores, "dev": best, "seconds": seconds}


def rows(parts: Parts, given: argparse.Namespace, dev: Text, test: Text) -> Iterator[dict[str, Any]]:
    """One run after the other, those of a seed together; what is there is not done again."""
    metric = metric_named("bleu|tok:none")
    for seed in given.seeds:
        for jump in given.jumps:
            for method in given.methods:
                folder = given.work / f"{method.replace('|', ',').replace(':', '=')}-{jump}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                result = folder / "result.json"
                if not result.exists():
                    limits = replace(parts.ini.limits, stack=given.stack, distortion=jump)
                    run = tuned(parts, method, seed, limits, given, dev, folder)
                    texts = translated(parts, run["weights"], limits, test)
                    run |= {"method": method, "seed": seed, "jump": jump, "test": score(metric, texts, test), "texts": texts}
                    result.write_text(json.dumps(run))
                    for path in folder.glob("round-*.gz"):
                        path.unlink()
                yield json.loads(result.read_text())


def compared(name: str, metric: Metric, test: Text, first: list[list[str]], chosen: list[list[str]]) -> None:
    """Print BLEU of translations of the test set, and their paired bootstrap: a sentence counts with its translations of all runs."""
    prepared = metric.prepare([test.references])
    told = compare_choices(metric, *(np.sum([prepared.statistics(text) for text in texts], axis=0) for texts in (first, chosen)))
    low, high = told.gain_interval.low, told.gain_interval.high
    print(
        f"{name}: {told.chosen:.2f} and {told.first:.2f}, {told.gain:+.2f} ({low:+.2f} to {high:+.2f}), p = {told.p_value:.3f}",
        flush=True,
    )


def shorter(parts: Parts, given: argparse.Namespace, metric: Metric, test: Text) -> None:
    """What jumps are worth to untuned weights where phrases have fewer words, and what the models of orientation are worth."""
    blind = np.where([name.startswith("LexicalReordering") for name in parts.names], 0.0, parts.weights)
    for words in given.words:
        ini = replace(parts.ini, limits=replace(parts.ini.limits, phrase_length=words))
        limits = [replace(ini.limits, stack=given.stack, distortion=jump) for jump in given.jumps]
        texts = [translated(replace(parts, ini=ini), parts.weights, some, test) for some in limits]
        for jump, text in zip(given.jumps[1:], texts[1:], strict=True):
            compared(f"phrases of {words} words, jumps {jump} against {given.jumps[0]}", metric, test, [texts[0]], [text])
        without = translated(replace(parts, ini=ini), blind, limits[-1], test)
        compared(
            f"phrases of {words} words, jumps {given.jumps[-1]}, orientations against none", metric, test, [without], [texts[-1]]
        )


def mean(scores: list[float]) -> str:
    """The mean with Student's 95 % interval."""
    if len(scores) < 2:
        return f"{np.mean(scores):.2f}"
    half = float(student.ppf(0.975, len(scores) - 1)) * float(np.std(scores, ddof=1)) / len(scores) ** 0.5
    return f"{np.mean(scores):.2f} ± {half:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", type=Path)
    parser.add_argument("texts", type=Path, nargs=4)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=0, help="of the development set, the first; 0 for all")
    parser.add_argument("--tested", type=int, default=0, help="of the test set, the first; 0 for all")
    parser.add_argument("--list-length", type=int, default=100)
    parser.add_argument("--stack", type=int, default=50)
    parser.add_argument("--step", type=float, default=STEP)
    parser.add_argument("--words", type=int, nargs="*", default=[], help="phrases that untuned weights are tried with")
    parser.add_argument("--jumps", type=int, nargs="*", default=[0, 6])
    given = parser.parse_args()
    dev, test = Text.of(*given.texts[:2], given.sentences), Text.of(*given.texts[2:], given.tested)
    metric = metric_named("bleu|tok:none")
    # Rounds of other sentences, lists or steps would be taken for rounds of these.
    settings = {name: getattr(given, name) for name in ("rounds", "sentences", "tested", "list_length", "stack", "step")}
    given.work.mkdir(parents=True, exist_ok=True)
    key = given.work / "settings.json"
    if any(given.work.iterdir()) and (not key.exists() or json.loads(key.read_text()) != settings):
        raise SystemExit(f"{given.work} has rounds of other settings; name a new folder")
    key.write_text(json.dumps(settings))
    parts = load_parts(given.system / "untuned.ini", TextPhrases(line.split() for line in [*dev.sources, *test.sources]))
    for jump in given.jumps:
        limits = replace(parts.ini.limits, stack=given.stack, distortion=jump)
        result = given.work / f"untuned-{jump}.json"
        if not result.exists():
            result.write_text(
                json.dumps([score(metric, translated(parts, parts.weights, limits, text), text) for text in (dev, test)])
            )
        print("untuned\tjumps {}\tdev {:.2f}\ttest {:.2f}".format(jump, *json.loads(result.read_text())), flush=True)
    shorter(parts, given, metric, test)
    runs = []
    for run in rows(parts, given, dev, test):
        runs.append(run)
        print(
            f"{run['method']}\tjumps {run['jump']}\tseed {run['seed']}\tdev {run['dev']:.2f}\ttest {run['test']:.2f}\t"
            f"{run['seconds']:.0f} s\t[{' '.join(f'{one:.2f}' for one in run['rounds'])}]",
            flush=True,
        )
    for jump in given.jumps:
        for method in given.methods:
            own = [run for run in runs if run["method"] == method and run["jump"] == jump]
            print(f"{method}\tjumps {jump}\tdev {mean([run['dev'] for run in own])}\ttest {mean([run['test'] for run in own])}")
    for jump in given.jumps[1:] if runs else ():
        best = [max((run for run in runs if run["jump"] == limit), key=lambda run: run["dev"]) for limit in (jump, given.jumps[0])]
        names = [f"{run['method']} at {run['jump']}, seed {run['seed']}" for run in best]
        compared("best on dev, " + " against ".join(names), metric, test, [best[1]["texts"]], [best[0]["texts"]])
        for method in given.methods:
            without, there = (
                [run["texts"] for run in runs if run["method"] == method and run["jump"] == limit]
                for limit in (given.jumps[0], jump)
            )
            compared(f"{method}, all seeds, jumps {jump} against {given.jumps[0]}", metric, test, without, there)


if __name__ == "__main__":
    main()
