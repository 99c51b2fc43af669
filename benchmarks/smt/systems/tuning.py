"""A phrase-based system of parallel text, without tuning and under each method of tuning, with jumps and without.

    assay smt train train.de train.en --out SYSTEM --untuned
    python -m benchmarks.smt.systems.tuning SYSTEM DEV_SOURCE DEV_TARGET TEST_SOURCE TEST_TARGET --work FOLDER [--methods mira pro ...]

Texts are as the system's own. Every method of ``assay nbest tune --decoder`` tunes by new translations, once for each limit of
jumps and each seed. Methods on lists begin with the lists of the limit's first round. Held-out text is the test set
and the rest of the development text after ``--sentences``. BLEU is of tokens as they are (sacreBLEU's with
``tokenize="none"``). Results stay in FOLDER, so that a stopped run continues, with more methods or seeds if need be. The end has
means with Student's 95 % intervals, and paired bootstraps on the held-out text. They compare limits of jumps, and Moses' weights or
the first method with tuned weights, of all seeds of a method together.
"""

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from app.metrics import Metric, metric_named
from app.running.processors import available_processors
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sampling.tuner import SamplingOptions, tune_by_sampling
from app.smt.decoder.system import SystemParts, load_parts, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.methods import BY_CHAINS, parse_decoder_method
from app.smt.decoder.tuning.rounds import STEP, RoundOptions, tune_by_rounds
from app.smt.decoder.tuning.translating import translate_text
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
    return [translation.text for translation in translate_text(system, limits, text.sources, 0, threads or available_processors())]


def score(metric: Metric, translations: list[str], text: Text) -> float:
    return float(metric.score(metric.prepare([text.references]).statistics(translations).sum(0)[None])[0])


def run_of(
    parts: SystemParts, method: str, seed: int, limits: SearchLimits, options: argparse.Namespace, dev: Text, folder: Path
) -> Any:
    """Run a method: weights, scores of rounds, the score on the development text, and processor seconds."""
    metric = metric_named("bleu|tok:none")
    begin = time.process_time()
    if method == BY_CHAINS:
        sampling = SamplingOptions(epochs=options.rounds, seed=seed, limits=limits)
        tuning = tune_by_sampling(parts, dev.sources, [dev.references], metric, sampling)
        seconds = time.process_time() - begin
        weights, scores = tuning.best.weights, [epoch.score for epoch in tuning.passes]
        best = score(metric, translated(parts, weights, limits, dev), dev)
    elif (decoder_method := parse_decoder_method(method)) is not None:
        tuner, values = decoder_method
        tuned = tuner.tune(parts, dev.sources, [dev.references], metric, values, options.rounds, seed, limits)
        seconds = time.process_time() - begin
        weights, scores, best = tuned.best.weights, [step.score for step in tuned.passes], tuned.best.score
    else:
        first = options.work / f"first-{limits.distortion}"
        for path in first.glob("round-0.*"):
            shutil.copy(path, folder)
            # The seed of a round depends on both numbers; rounds of two seeds share none.
        settings = RoundOptions(method, 100 * seed, options.rounds, options.list_length, limits, options.step)
        rounds = tune_by_rounds(parts, dev.sources, [dev.references], metric, settings, folder)
        seconds = time.process_time() - begin
        if not first.exists():
            first.mkdir()
            for path in folder.glob("round-0.*"):
                shutil.copy(path, first)
        weights, scores, best = rounds.best.weights, [step.score for step in rounds.passes], rounds.best.score
    return {"weights": weights.tolist(), "rounds": scores, "dev": best, "seconds": seconds}


def rows(parts: SystemParts, options: argparse.Namespace, dev: Text, held_out: "HeldOut") -> Iterator[dict[str, Any]]:
    """Yield the runs, seed by seed; a finished run comes from its file."""
    for seed in options.seeds:
        for jump in options.jumps:
            for method in options.methods:
                folder = options.work / f"{method.replace('|', ',').replace(':', '=')}-{jump}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                result = folder / "result.json"
                if not result.exists():
                    limits = replace(parts.ini.limits, stack=options.stack, distortion=jump)
                    run = run_of(parts, method, seed, limits, options, dev, folder)
                    run |= {"method": method, "seed": seed, "jump": jump}
                    run |= {"texts": translated(parts, run["weights"], limits, held_out.all)}
                    result.write_text(json.dumps(run))
                    for path in folder.glob("round-*.gz"):
                        path.unlink()
                yield json.loads(result.read_text())


@dataclass(frozen=True)
class HeldOut:
    """Text without a part in tuning: the test set and behind it the rest of the development set."""

    all: Text
    test_size: int
    metric: Metric

    @property
    def slices(self) -> dict[str, slice]:
        size = len(self.all.sources)
        return {"test": slice(self.test_size)} | (
            {"rest": slice(self.test_size, size), "both": slice(size)} if size > self.test_size else {}
        )

    def scores(self, texts: list[str]) -> dict[str, float]:
        """BLEU of the test set, of the rest and of both."""
        rows = self.metric.prepare([self.all.references]).statistics(texts)
        return {name: float(self.metric.score(rows[part].sum(0)[None])[0]) for name, part in self.slices.items()}

    def compare(self, name: str, first: list[list[str]], rivals: list[list[str]]) -> None:
        """Print BLEU of two kinds of runs, and their paired bootstrap: a sentence counts with its translations of all runs."""
        scorer = self.metric.prepare([self.all.references])
        sums = [np.sum([scorer.statistics(text) for text in texts], axis=0) for texts in (first, rivals)]
        for part, places in self.slices.items():
            comparison = compare_choices(self.metric, *(rows[places] for rows in sums))
            low, high = comparison.gain_interval.low, comparison.gain_interval.high
            gain = f"{comparison.gain:+.2f} ({low:+.2f} to {high:+.2f}), p = {comparison.p_value:.3f}"
            print(f"{name}\t{part}\t{comparison.chosen:.2f} and {comparison.first:.2f}\t{gain}", flush=True)


def shorter(parts: SystemParts, options: argparse.Namespace, held_out: HeldOut) -> None:
    """Compare jumps with untuned weights for short phrases, and orientation models with none."""
    blind = np.where([name.startswith("LexicalReordering") for name in parts.names], 0.0, parts.weights)
    for words in options.words:
        ini = replace(parts.ini, limits=replace(parts.ini.limits, phrase_length=words))
        limits = [replace(ini.limits, stack=options.stack, distortion=jump) for jump in options.jumps]
        texts = [translated(replace(parts, ini=ini), parts.weights, limit, held_out.all) for limit in limits]
        for jump, text in zip(options.jumps[1:], texts[1:], strict=True):
            held_out.compare(f"phrases of {words} words, jumps {jump} against {options.jumps[0]}", [texts[0]], [text])
        without = translated(replace(parts, ini=ini), blind, limits[-1], held_out.all)
        held_out.compare(f"phrases of {words} words, jumps {options.jumps[-1]}, orientations against none", [without], [texts[-1]])


def mean_with_interval(scores: Sequence[float]) -> str:
    """The mean with Student's 95 % interval, if there are two scores or more."""
    if len(scores) < 2:
        return f"{np.mean(scores):.2f}"
    half = float(student.ppf(0.975, len(scores) - 1)) * float(np.std(scores, ddof=1)) / len(scores) ** 0.5
    return f"{np.mean(scores):.2f} ± {half:.2f}"


def report(options: argparse.Namespace, held_out: HeldOut, moses_texts: dict[int, list[str]], runs: list[dict[str, Any]]) -> None:
    """Print means of each method, and the comparisons of all its runs."""
    for jump in options.jumps:
        for method in options.methods:
            method_runs = [run for run in runs if run["method"] == method and run["jump"] == jump]
            scores = [held_out.scores(run["texts"]) for run in method_runs]
            cells = "\t".join(f"{name} {mean_with_interval([row[name] for row in scores])}" for name in held_out.slices)
            seconds = mean_with_interval([run["seconds"] for run in method_runs])
            print(
                f"{method}\tjumps {jump}\tdev {mean_with_interval([run['dev'] for run in method_runs])}\t{cells}\t{seconds} s",
                flush=True,
            )
    texts_of = {
        (method, jump): [run["texts"] for run in runs if run["method"] == method and run["jump"] == jump]
        for method in options.methods
        for jump in options.jumps
    }
    for (method, jump), texts in texts_of.items():
        held_out.compare(f"{method}, all seeds, jumps {jump}, against Moses' weights", [moses_texts[jump]] * len(texts), texts)
        if method != options.methods[0]:
            held_out.compare(
                f"{method} against {options.methods[0]}, all seeds, jumps {jump}", texts_of[options.methods[0], jump], texts
            )
    for jump in options.jumps[1:]:
        held_out.compare(
            f"Moses' weights, jumps {jump} against {options.jumps[0]}", [moses_texts[options.jumps[0]]], [moses_texts[jump]]
        )
        for method in options.methods:
            held_out.compare(
                f"{method}, all seeds, jumps {jump} against {options.jumps[0]}",
                texts_of[method, options.jumps[0]],
                texts_of[method, jump],
            )
        best = [
            max((run for run in runs if run["jump"] == limit), key=lambda run: run["dev"]) for limit in (options.jumps[0], jump)
        ]
        names = [f"{run['method']} at {run['jump']}, seed {run['seed']}" for run in reversed(best)]
        held_out.compare("best on dev, " + " against ".join(names), *([run["texts"]] for run in best))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", type=Path, help="folder of a system with its untuned.ini, or a configuration")
    parser.add_argument("texts", type=Path, nargs=4)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=0, help="number of sentences of the development set; 0 for all")
    parser.add_argument("--tested", type=int, default=0, help="number of sentences of the test set; 0 for all")
    parser.add_argument("--list-length", type=int, default=100)
    parser.add_argument("--stack", type=int, default=50)
    parser.add_argument("--step", type=float, default=STEP)
    parser.add_argument("--words", type=int, nargs="*", default=[], help="lengths of phrases for untuned weights")
    parser.add_argument("--jumps", type=int, nargs="*", default=[0, 6])
    options = parser.parse_args()
    development, test = Text.of(*options.texts[:2]), Text.of(*options.texts[2:]).part(0, options.tested or None)
    dev, rest = (
        development.part(0, options.sentences or None),
        development.part(options.sentences or len(development.sources), None),
    )
    metric = metric_named("bleu|tok:none")
    held_out = HeldOut(Text(test.sources + rest.sources, test.references + rest.references), len(test.sources), metric)
    # Rounds of other sentences, lists or steps would pass for rounds of these.
    settings = {name: getattr(options, name) for name in ("rounds", "sentences", "tested", "list_length", "stack", "step")}
    options.work.mkdir(parents=True, exist_ok=True)
    key = options.work / "settings.json"
    if any(options.work.iterdir()) and (not key.exists() or json.loads(key.read_text()) != settings):
        raise SystemExit(f"{options.work} has rounds of other settings; name a new folder")
    key.write_text(json.dumps(settings))
    config = options.system / "untuned.ini" if options.system.is_dir() else options.system
    parts = load_parts(config, TextPhrases(line.split() for line in [*dev.sources, *held_out.all.sources]))
    moses_texts: dict[int, list[str]] = {}
    for jump in options.jumps:
        limits = replace(parts.ini.limits, stack=options.stack, distortion=jump)
        result = options.work / f"untuned-{jump}.json"
        if not result.exists():
            texts = [translated(parts, parts.weights, limits, text) for text in (held_out.all, dev)]
            result.write_text(json.dumps({"texts": texts[0], "dev": score(metric, texts[1], dev)}))
        stored = json.loads(result.read_text())
        moses_texts[jump] = stored["texts"]
        print(f"untuned\tjumps {jump}\tdev {stored['dev']:.2f}\t{cells_of(held_out.scores(stored['texts']))}", flush=True)
    shorter(parts, options, held_out)
    runs = []
    for run in rows(parts, options, dev, held_out):
        runs.append(run)
        print(
            f"{run['method']}\tjumps {run['jump']}\tseed {run['seed']}\tdev {run['dev']:.2f}\t{cells_of(held_out.scores(run['texts']))}\t"
            f"{run['seconds']:.0f} s\t[{' '.join(f'{step_score:.2f}' for step_score in run['rounds'])}]",
            flush=True,
        )
    if runs:
        report(options, held_out, moses_texts, runs)


def cells_of(scores: dict[str, float]) -> str:
    return "\t".join(f"{name} {value:.2f}" for name, value in scores.items())


if __name__ == "__main__":
    main()
