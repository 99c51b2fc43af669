"""A phrase-based system of parallel text: how good it is without tuning and under each method of tuning, with jumps and without.

    assay smt train train.de train.en --out SYSTEM --untuned
    python -m benchmarks.smt.smt SYSTEM DEV_SOURCE DEV_TARGET TEST_SOURCE TEST_TARGET --work FOLDER [--methods mira pro ...]

Texts are as the system's own. Every method, as ``assay nbest tune --decoder`` takes it, tunes by translating again, once for each limit of
jumps and each seed, those on lists from lists of the first round that all of a limit have in common. Held-out text is the test set
and the rest of the development text, which ``--sentences`` leaves. BLEU is of tokens as they are (sacreBLEU's with
``tokenize="none"``). Figures are printed as they come, and results stay in FOLDER, so that a run that was stopped goes on, with more
methods or seeds if need be; in the end there are means with Student's 95 % intervals, and paired bootstraps on the held-out text
between limits of jumps, and between Moses' weights or the first method and tuned ones, of all seeds of a method together.
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
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sampling.tuner import SamplingOptions, tune_by_sampling
from app.smt.decoder.system import SystemParts, load_parts, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.methods import BY_CHAINS, parse_decoder_method
from app.smt.decoder.tuning.rounds import STEP, RoundOptions, tune_by_rounds
from app.smt.decoder.tuning.translating import cores, translate_text
from app.smt.tuning.significance import compare_choices
from app.text.reading.lines import TextFile

METHODS = ("mert", "mira", "pro", "samplerank", BY_CHAINS)


@dataclass(frozen=True)
class Text:
    """Sentences and their references."""

    sources: list[str]
    references: list[str]

    @classmethod
    def of(cls, source: Path, target: Path) -> "Text":
        return cls(*(list(TextFile.of(path).lines()) for path in (source, target)))

    def part(self, begin: int, end: int | None) -> "Text":
        return Text(self.sources[begin:end], self.references[begin:end])


def translated(parts: SystemParts, weights: Any, limits: SearchLimits, text: Text, threads: int = 0) -> list[str]:
    system = system_of(parts, np.array(weights))
    return [one.text for one in translate_text(system, limits, text.sources, 0, threads or cores())]


def score(metric: Metric, translations: list[str], text: Text) -> float:
    return float(metric.score(metric.prepare([text.references]).statistics(translations).sum(0)[None])[0])


def tuned(
    parts: SystemParts, method: str, seed: int, limits: SearchLimits, given: argparse.Namespace, dev: Text, folder: Path
) -> Any:
    """A run: its weights, scores of its rounds, the score on the development text, and its processor time."""
    metric = metric_named("bleu|tok:none")
    begin = time.process_time()
    if method == BY_CHAINS:
        options = SamplingOptions(epochs=given.rounds, seed=seed, limits=limits)
        sampled = tune_by_sampling(parts, dev.sources, [dev.references], metric, options)
        seconds = time.process_time() - begin
        weights, scores = sampled.best.weights, [epoch.score for epoch in sampled.passes]
        best = score(metric, translated(parts, weights, limits, dev), dev)
    elif (decoder_method := parse_decoder_method(method)) is not None:
        tuner, settings = decoder_method
        result = tuner.tune(parts, dev.sources, [dev.references], metric, settings, given.rounds, seed, limits)
        seconds = time.process_time() - begin
        weights, scores, best = result.best.weights, [one.score for one in result.passes], result.best.score
    else:
        first = given.work / f"first-{limits.distortion}"
        for path in first.glob("round-0.*"):
            shutil.copy(path, folder)
        # A round has its seed and the number of the round: those of two seeds have none in common.
        round_options = RoundOptions(method, 100 * seed, given.rounds, given.list_length, limits, given.step)
        rounds = tune_by_rounds(parts, dev.sources, [dev.references], metric, round_options, folder)
        seconds = time.process_time() - begin
        if not first.exists():
            first.mkdir()
            for path in folder.glob("round-0.*"):
                shutil.copy(path, first)
        weights, scores, best = rounds.best.weights, [one.score for one in rounds.passes], rounds.best.score
    return {"weights": weights.tolist(), "rounds": scores, "dev": best, "seconds": seconds}


def rows(parts: SystemParts, given: argparse.Namespace, dev: Text, held: "HeldOut") -> Iterator[dict[str, Any]]:
    """One run after the other, those of a seed together; what is there is not done again."""
    for seed in given.seeds:
        for jump in given.jumps:
            for method in given.methods:
                folder = given.work / f"{method.replace('|', ',').replace(':', '=')}-{jump}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                result = folder / "result.json"
                if not result.exists():
                    limits = replace(parts.ini.limits, stack=given.stack, distortion=jump)
                    run = tuned(parts, method, seed, limits, given, dev, folder)
                    run |= {"method": method, "seed": seed, "jump": jump}
                    run |= {"texts": translated(parts, run["weights"], limits, held.all)}
                    result.write_text(json.dumps(run))
                    for path in folder.glob("round-*.gz"):
                        path.unlink()
                yield json.loads(result.read_text())


@dataclass(frozen=True)
class HeldOut:
    """Text that no weights were tuned on: the test set and behind it what is left of the development set."""

    all: Text
    tested: int
    metric: Metric

    @property
    def slices(self) -> dict[str, slice]:
        whole = len(self.all.sources)
        return {"test": slice(self.tested)} | (
            {"rest": slice(self.tested, whole), "both": slice(whole)} if whole > self.tested else {}
        )

    def scores(self, texts: list[str]) -> dict[str, float]:
        """BLEU of the test set, of the rest and of both."""
        rows = self.metric.prepare([self.all.references]).statistics(texts)
        return {name: float(self.metric.score(rows[some].sum(0)[None])[0]) for name, some in self.slices.items()}

    def compare(self, name: str, first: list[list[str]], chosen: list[list[str]]) -> None:
        """Print BLEU of two kinds of runs, and their paired bootstrap: a sentence counts with its translations of all runs."""
        prepared = self.metric.prepare([self.all.references])
        sums = [np.sum([prepared.statistics(text) for text in texts], axis=0) for texts in (first, chosen)]
        for which, some in self.slices.items():
            told = compare_choices(self.metric, *(rows[some] for rows in sums))
            low, high = told.gain_interval.low, told.gain_interval.high
            gain = f"{told.gain:+.2f} ({low:+.2f} to {high:+.2f}), p = {told.p_value:.3f}"
            print(f"{name}\t{which}\t{told.chosen:.2f} and {told.first:.2f}\t{gain}", flush=True)


def shorter(parts: SystemParts, given: argparse.Namespace, held: HeldOut) -> None:
    """What jumps are worth to untuned weights where phrases have fewer words, and what the models of orientation are worth."""
    blind = np.where([name.startswith("LexicalReordering") for name in parts.names], 0.0, parts.weights)
    for words in given.words:
        ini = replace(parts.ini, limits=replace(parts.ini.limits, phrase_length=words))
        limits = [replace(ini.limits, stack=given.stack, distortion=jump) for jump in given.jumps]
        texts = [translated(replace(parts, ini=ini), parts.weights, some, held.all) for some in limits]
        for jump, text in zip(given.jumps[1:], texts[1:], strict=True):
            held.compare(f"phrases of {words} words, jumps {jump} against {given.jumps[0]}", [texts[0]], [text])
        without = translated(replace(parts, ini=ini), blind, limits[-1], held.all)
        held.compare(f"phrases of {words} words, jumps {given.jumps[-1]}, orientations against none", [without], [texts[-1]])


def mean(scores: list[float]) -> str:
    """The mean with Student's 95 % interval."""
    if len(scores) < 2:
        return f"{np.mean(scores):.2f}"
    half = float(student.ppf(0.975, len(scores) - 1)) * float(np.std(scores, ddof=1)) / len(scores) ** 0.5
    return f"{np.mean(scores):.2f} ± {half:.2f}"


def report(given: argparse.Namespace, held: HeldOut, untuned: dict[int, list[str]], runs: list[dict[str, Any]]) -> None:
    """Means of each method, and the comparisons of all its runs."""
    for jump in given.jumps:
        for method in given.methods:
            own = [run for run in runs if run["method"] == method and run["jump"] == jump]
            scores = [held.scores(run["texts"]) for run in own]
            told = "\t".join(f"{name} {mean([one[name] for one in scores])}" for name in held.slices)
            seconds = mean([run["seconds"] for run in own])
            print(f"{method}\tjumps {jump}\tdev {mean([run['dev'] for run in own])}\t{told}\t{seconds} s", flush=True)
    of = {
        (method, jump): [run["texts"] for run in runs if run["method"] == method and run["jump"] == jump]
        for method in given.methods
        for jump in given.jumps
    }
    for (method, jump), texts in of.items():
        held.compare(f"{method}, all seeds, jumps {jump}, against Moses' weights", [untuned[jump]] * len(texts), texts)
        if method != given.methods[0]:
            held.compare(f"{method} against {given.methods[0]}, all seeds, jumps {jump}", of[given.methods[0], jump], texts)
    for jump in given.jumps[1:]:
        held.compare(f"Moses' weights, jumps {jump} against {given.jumps[0]}", [untuned[given.jumps[0]]], [untuned[jump]])
        for method in given.methods:
            held.compare(
                f"{method}, all seeds, jumps {jump} against {given.jumps[0]}", of[method, given.jumps[0]], of[method, jump]
            )
        best = [max((run for run in runs if run["jump"] == limit), key=lambda run: run["dev"]) for limit in (given.jumps[0], jump)]
        names = [f"{run['method']} at {run['jump']}, seed {run['seed']}" for run in reversed(best)]
        held.compare("best on dev, " + " against ".join(names), *([run["texts"]] for run in best))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", type=Path, help="the folder of a system, whose untuned.ini is taken, or a configuration")
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
    whole, test = Text.of(*given.texts[:2]), Text.of(*given.texts[2:]).part(0, given.tested or None)
    dev, rest = whole.part(0, given.sentences or None), whole.part(given.sentences or len(whole.sources), None)
    metric = metric_named("bleu|tok:none")
    held = HeldOut(Text(test.sources + rest.sources, test.references + rest.references), len(test.sources), metric)
    # Rounds of other sentences, lists or steps would be taken for rounds of these.
    settings = {name: getattr(given, name) for name in ("rounds", "sentences", "tested", "list_length", "stack", "step")}
    given.work.mkdir(parents=True, exist_ok=True)
    key = given.work / "settings.json"
    if any(given.work.iterdir()) and (not key.exists() or json.loads(key.read_text()) != settings):
        raise SystemExit(f"{given.work} has rounds of other settings; name a new folder")
    key.write_text(json.dumps(settings))
    config = given.system / "untuned.ini" if given.system.is_dir() else given.system
    parts = load_parts(config, TextPhrases(line.split() for line in [*dev.sources, *held.all.sources]))
    untuned: dict[int, list[str]] = {}
    for jump in given.jumps:
        limits = replace(parts.ini.limits, stack=given.stack, distortion=jump)
        result = given.work / f"untuned-{jump}.json"
        if not result.exists():
            texts = [translated(parts, parts.weights, limits, text) for text in (held.all, dev)]
            result.write_text(json.dumps({"texts": texts[0], "dev": score(metric, texts[1], dev)}))
        told = json.loads(result.read_text())
        untuned[jump] = told["texts"]
        print(f"untuned\tjumps {jump}\tdev {told['dev']:.2f}\t{shown(held.scores(told['texts']))}", flush=True)
    shorter(parts, given, held)
    runs = []
    for run in rows(parts, given, dev, held):
        runs.append(run)
        print(
            f"{run['method']}\tjumps {run['jump']}\tseed {run['seed']}\tdev {run['dev']:.2f}\t{shown(held.scores(run['texts']))}\t"
            f"{run['seconds']:.0f} s\t[{' '.join(f'{one:.2f}' for one in run['rounds'])}]",
            flush=True,
        )
    if runs:
        report(given, held, untuned, runs)


def shown(scores: dict[str, float]) -> str:
    return "\t".join(f"{name} {value:.2f}" for name, value in scores.items())


if __name__ == "__main__":
    main()
