"""Small systems with random numbers, and all their derivations, one after the other."""

import gzip
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from app.building.arpa import write_arpa
from app.building.kneser_ney import estimate_language_model
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.options import OptionWords, options_of
from app.smt.decoder.system import System
from app.text import pack_tokens
from tests.smt.decoder.plain_features import features_of_derivation, sparse_of_derivation, sparse_score

SOURCE = ["s0", "s1", "s2", "s3", "s4"]
TARGET = ["t0", "t1", "t2", "t3"]
SENTENCE = "s1 s0 new s3 s2"


def write_system(folder: Path, seed: int, reordering: str, distortion: int, tables: int = 1) -> Path:
    """A moses.ini with `tables` tables over five words, one model of `reordering` and one of jumps, and a language model."""
    generator = np.random.default_rng(seed)

    def words(most: int) -> str:
        return " ".join(generator.choice(TARGET, generator.integers(1, most + 1)))

    text = [generator.choice(TARGET, generator.integers(1, 6)).tolist() for _ in range(30)]
    write_arpa(estimate_language_model(pack_tokens(text), 3), folder / "lm.arpa")
    sources = [*SOURCE, *(" ".join(pair) for pair in product(SOURCE, SOURCE) if generator.random() < 0.4)]
    pairs = sorted({(source, words(2)) for source in sources for _ in range(2)})
    for t in range(tables):
        lines = [
            f"{source} ||| {target} ||| {number(generator)} {number(generator)} ||| 0-0\n" for source, target in pairs[t::tables]
        ]
        (folder / f"table{t}.gz").write_bytes(gzip.compress("".join(lines).encode()))
    many = 8 if "mslr" in reordering else 6 if "msd" in reordering else 4
    many //= 1 if "bidirectional" in reordering else 2
    rows = sorted({source for source, _ in pairs}) if reordering.endswith("-f") else [" ||| ".join(pair) for pair in pairs[1:]]
    (folder / "reordering").write_text("".join(f"{row} ||| {' '.join(number(generator) for _ in range(many))}\n" for row in rows))
    config = folder / "moses.ini"
    dictionaries = "".join(f"PhraseDictionaryMemory name=T{t} num-features=2 path=table{t} table-limit=3\n" for t in range(tables))
    weights = "".join(f"T{t}= 0.3 {0.2 + t / 10}\n" for t in range(tables))
    config.write_text(
        f"[distortion-limit]\n{distortion}\n[stack]\n5000\n[beam-threshold]\n0\n[feature]\nUnknownWordPenalty\nWordPenalty\nPhrasePenalty\n"
        f"{dictionaries}LexicalReordering name=R type={reordering} num-features={many} path=reordering\nDistortion\n"
        f"KENLM name=LM factor=0 order=3 path=lm.arpa\n[weight]\nWordPenalty0= -0.4\nPhrasePenalty0= 0.1\n{weights}"
        f"R= {' '.join(str((k % 3 + 1) / 5) for k in range(many))}\nDistortion0= 0.2\nLM= 0.5\n"
    )
    return config


def number(generator: np.random.Generator) -> str:
    """A probability as it stands in a table."""
    return f"{generator.random():.4f}"


def all_derivations(
    system: System, text: str, more: Sequence[Phrase] = (), may: Callable[[Phrase], bool] = lambda phrase: True
) -> Iterator[Derivation]:
    """Every derivation within the limit of jumps, the first gap staying within reach, of phrases that may be and of `more`."""
    tokens = text.split()
    options = options_of(system, tokens)
    words = OptionWords(system, options, tokens)
    phrases = [
        Phrase(start, end, tuple(target), row, None, tuple(tokens[start:end]))
        for start, end, target, row in zip(
            options.starts.tolist(), options.ends.tolist(), words, options.rows.tolist(), strict=True
        )
    ]
    phrases = [*filter(may, phrases), *more]
    limit = system.ini.limits.distortion

    def extend(before: tuple[Phrase, ...], covered: frozenset[int]) -> Iterator[tuple[Phrase, ...]]:
        if len(covered) == len(tokens):
            yield before
            return
        gap = min(set(range(len(tokens))) - covered)
        last = before[-1].end if before else 0
        for phrase in phrases:
            span = frozenset(range(phrase.start, phrase.end))
            far = limit >= 0 and (abs(phrase.start - last) > limit or (phrase.start != gap and phrase.end - gap > limit))
            if not covered & span and not far:
                yield from extend((*before, phrase), covered | span)

    for chosen in extend((), frozenset()):
        sparse = sparse_score(system, sparse_of_derivation(system, chosen))
        yield Derivation(chosen, float(features_of_derivation(system, chosen) @ system.weights) + sparse)
