"""RIBES against RIBES.py 1.03.1 and the paper's example, and beside a plain reading of its rules."""

from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import metric_named
from app.text.reading.tables import read_column

# ``RIBES.py -z -s -r ref sys``: scores of the first segments of two systems on TED sk-en, and of all 2,445.
SEGMENTS = {
    "sys1": [
        0.849014,
        0.786004,
        0.734889,
        0.720125,
        0.756862,
        0.723766,
        0.952789,
        0.779698,
        0.813329,
        0.64142,
        0.544577,
        0.91877,
        0.807542,
        0.915646,
        0.881292,
        0.700535,
        0.826852,
        0.814787,
        0.880112,
        1,
        0.880112,
        0.916505,
        0.759836,
        0.707107,
        0.851611,
        0.793376,
        0.821097,
        0.827823,
        0.817913,
        0.851642,
        0.79953,
        0.818032,
        0.8857,
        0.801055,
        0.874264,
        0.90047,
        0.888328,
        0.92674,
        0.893128,
        0.830716,
        0.834453,
        0.870506,
        0.945742,
        1,
        0.880112,
        0.844952,
        0.542727,
        0.707107,
        0.903602,
        0.826998,
        0.686589,
        0.764632,
        1,
        0.95107,
        0.919323,
        0.840896,
        0.582652,
        0.939104,
        1,
        0.83527,
    ],
    "sys2": [
        0.849613,
        0.885219,
        0.774597,
        0.775782,
        0.758466,
        0.700439,
        0.926735,
        0.752381,
        0.813329,
        0.698132,
        0.859389,
        0.939651,
        0.868834,
        0.856757,
        0.803348,
        0.842504,
        0.827833,
        0.842533,
        0.638943,
        1,
        0.759836,
        0.775488,
        0.869442,
        0.838798,
        0.813666,
        0.831615,
        0.893428,
        0.819874,
        0.861492,
        0.85581,
        0.809465,
        0.819373,
        0.978023,
        0.730596,
        0.896883,
        0.846167,
        0.786632,
        0.734368,
        0.787366,
        0.759897,
        0.84544,
        0.84771,
        1,
        1,
        0.976454,
        0.893428,
        0.549732,
        0.707107,
        0.976454,
        0,
        0.86334,
        0.787511,
        1,
        0.974004,
        1,
        0.880112,
        0.79763,
        1,
        1,
        0.904837,
    ],
}
CORPUS = {"sys1": 0.805569, "sys2": 0.803848}
GUIDE = "It is a guide to action which ensures that the military always obeys the commands of the party"
GUIDES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]


def scores(hypotheses: list[str], *references: list[str], options: str = "") -> list[float]:
    metric = metric_named(f"ribes|tok:none{options}")
    statistics = metric.prepare(references).statistics(hypotheses)
    return [*metric.segment_scores(statistics).tolist(), float(metric.score(statistics.sum(0)[None])[0])]


def test_the_scores_of_its_own_program(shared: Path) -> None:
    reference = read_column(str(shared / "data/ted-sk-en/ted.ref.eng.gz"))
    for system, values in SEGMENTS.items():
        *segments, corpus = scores(read_column(str(shared / f"data/ted-sk-en/ted.{system}.eng.gz")), reference)
        assert segments[: len(values)] == pytest.approx([100 * value for value in values], abs=1e-4)
        assert corpus == pytest.approx(100 * CORPUS[system], abs=1e-4)


def test_the_example_of_the_paper() -> None:
    assert scores(["Bob hit John yesterday"], ["John hit Bob yesterday"])[0] == pytest.approx(50)


def test_several_references() -> None:
    """The example of NLTK's documentation, with the scores of ``RIBES.py -c -s``."""
    other = "he was interested in world history because he read the book"
    references = [[text, other] for text in GUIDES]
    hypotheses = [GUIDE, "he read the book because he was interested in world history"]
    assert scores(hypotheses, *references, options="|case:mixed") == pytest.approx([88.4158, 30.9091, 59.6625], abs=1e-4)


def test_no_match_one_match_and_empty_segments() -> None:
    hypotheses = ["a b", "a b", "a", "", "a"]
    references = ["c d", "a d", "a", "a b", ""]
    assert scores(hypotheses, references) == pytest.approx([0, 0, 100, 0, 0, 25])


def plain(hypothesis: list[str], reference: list[str]) -> float:
    """RIBES by its rules, word by word."""

    def once(words: list[str], text: list[str]) -> int | None:
        places = [k for k in range(len(text) - len(words) + 1) if text[k : k + len(words)] == words]
        return places[0] if len(places) == 1 else None

    ranks = []
    for i in range(len(hypothesis)):
        for window in range(len(hypothesis)):
            left = hypothesis[i - window : i + 1] if window <= i else []
            right = hypothesis[i : i + window + 1] if i + window < len(hypothesis) else []
            if left and once(left, hypothesis) is not None and (place := once(left, reference)) is not None:
                ranks.append(place + window)
                break
            if right and once(right, hypothesis) is not None and (place := once(right, reference)) is not None:
                ranks.append(place)
                break
    n = len(ranks)
    if not n or not reference or (n == 1 and len(reference) > 1):
        return 0.0
    ascending = sum(a < b for k, a in enumerate(ranks) for b in ranks[k + 1 :])
    correlation = ascending / (n * (n - 1) / 2) if n > 1 else 1.0
    return float(correlation * (n / len(hypothesis)) ** 0.25 * min(1.0, exp(1 - len(reference) / len(hypothesis))) ** 0.1)


words = st.lists(st.sampled_from("abc"), max_size=9)


@given(words, words)
def test_the_kernel_is_the_plain_reading(hypothesis: list[str], reference: list[str]) -> None:
    assert scores([" ".join(hypothesis)], [" ".join(reference)])[0] == pytest.approx(100 * plain(hypothesis, reference))


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
def test_a_reference_has_its_highest_score(reference: list[str]) -> None:
    text = " ".join(reference)
    assert scores([text], [text])[0] >= scores([" ".join(reference[::-1])], [text])[0] - 1e-9


def test_long_repetitions_stay_quadratic() -> None:
    text = "a " * 1000
    assert np.isfinite(scores([text], [text])).all()
