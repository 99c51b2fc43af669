"""BLEU, chrF and TER against sacreBLEU, to the last printed digit, on real translations and on rubbish."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from app.metrics import metric_named

OURS_AND_THEIRS = {
    "bleu": BLEU(),
    "bleu|case:lc|tok:none": BLEU(lowercase=True, tokenize="none"),
    "bleu|tok:zh": BLEU(tokenize="zh"),
    "bleu|tok:char|smooth:floor": BLEU(tokenize="char", smooth_method="floor"),
    "bleu|smooth:add-k": BLEU(smooth_method="add-k"),
    "bleu|smooth:none": BLEU(smooth_method="none"),
    "chrf": CHRF(),
    "chrf+": CHRF(word_order=1),
    "chrf++": CHRF(word_order=2),
    "chrf|case:lc|space:yes|nc:4": CHRF(lowercase=True, whitespace=True, char_order=4),
    "ter": TER(),
    "bleu|tok:intl": BLEU(tokenize="intl"),
    "ter|case:mixed": TER(case_sensitive=True),
    "ter|norm:yes": TER(normalized=True),
    "ter|norm:yes|punct:no|asian:yes": TER(normalized=True, no_punct=True, asian_support=True),
    "ter|punct:no": TER(no_punct=True),
    "ter|norm:yes|asian:yes": TER(normalized=True, asian_support=True),
}
SEGMENT_BLEU = {
    "bleu": BLEU(effective_order=True),
    "bleu|tok:zh": BLEU(tokenize="zh", effective_order=True),
    "bleu|tok:intl": BLEU(tokenize="intl", effective_order=True),
}
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat,",
    "on",
    "in",
    "mat.",
    "house",
    "3.5",
    "2,000",
    "U.S.",
    "-5",
    "it's",
    "«x»",
    "好的",
    "книга",
    "ක්\u200dර",
    "(hi)",
    "'quoted'",
    "&amp;",
    "<skipped>",
    "x",
]


def noisy_segments(name: str, count: int, seed: int) -> tuple[list[str], list[str], list[str]]:
    """Hypotheses and two references: shuffled, cut, repeated, sometimes empty.

    The peer's TER takes seconds for thirty shuffled words.
    """
    lengths = [0, 1, 2, 4, 7, 10] if name.startswith("ter") else [0, 1, 2, 5, 12, 25, 40]
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        words = rng.choices(WORDS, k=rng.choice(lengths))
        hypothesis, other = words[:], words[:]
        for _ in range(rng.randrange(4)):
            if len(hypothesis) > 3:
                i, j = sorted(rng.sample(range(len(hypothesis)), 2))
                block = hypothesis[i:j]
                del hypothesis[i:j]
                at = rng.randrange(len(hypothesis) + 1)
                hypothesis[at:at] = block
        rng.shuffle(other)
        rows.append((" ".join(hypothesis[: rng.randrange(1, 50)]), " ".join(words), " ".join(other[: rng.randrange(50)])))
    a, b, c = zip(*rows, strict=True)
    return list(a), list(b), list(c)


def compare(name: str, hypotheses: list[str], references: list[list[str]]) -> None:
    peer, metric = OURS_AND_THEIRS[name], metric_named(name)
    statistics = metric.prepare(references).statistics(hypotheses)
    ours = float(metric.score(statistics.sum(0, keepdims=True))[0])
    assert ours == pytest.approx(peer.corpus_score(hypotheses, references).score, abs=1e-9)
    by_segment = SEGMENT_BLEU.get(name, peer)
    if not name.startswith("bleu") or name in SEGMENT_BLEU:
        theirs = [by_segment.sentence_score(h, list(rs)).score for h, *rs in zip(hypotheses, *references, strict=True)]
        assert metric.segment_scores(statistics) == pytest.approx(np.array(theirs), abs=1e-9)


@pytest.mark.parametrize("name", OURS_AND_THEIRS)
def test_noise_one_reference(name: str) -> None:
    hypotheses, reference, _ = noisy_segments(name, 60, 1)
    compare(name, hypotheses, [reference])


@pytest.mark.parametrize("name", OURS_AND_THEIRS)
def test_noise_two_references(name: str) -> None:
    hypotheses, reference, other = noisy_segments(name, 40, 2)
    compare(name, hypotheses, [reference, other])


@pytest.mark.parametrize("name", OURS_AND_THEIRS)
def test_signatures_have_sacrebleus_keys(name: str) -> None:
    peer = OURS_AND_THEIRS[name]
    peer.corpus_score(["a"], [["a"]])
    theirs = str(peer.get_signature()).split("|version:")[0]
    assert metric_named(name).signature(1).split("|impl:")[0] == theirs


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), min_size=1, max_size=4))
def test_any_text(rows: list[tuple[str, str]]) -> None:
    hypotheses, references = [h for h, _ in rows], [r for _, r in rows]
    for name in (
        "bleu",
        "chrf",
        "chrf++",
        "ter",
        "bleu|tok:zh",
        "bleu|tok:intl",
        "bleu|tok:char|smooth:floor",
        "ter|norm:yes|asian:yes",
    ):
        compare(name, hypotheses, [references])


def test_long_segments_use_tercoms_beam() -> None:
    rng = random.Random(3)
    reference = [str(rng.randrange(40)) for _ in range(220)]
    hypothesis = reference[120:] + reference[:100]
    compare("ter", [" ".join(hypothesis), "1 2 3", ""], [[" ".join(reference), " ".join(reference), "a b"]])
