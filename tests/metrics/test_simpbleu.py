"""SIMPBLEU against the worked examples computed by hand from the thesis' formulas (Song 2015, chapter 3)."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from app.errors import InputError
from app.metrics import VARIANTS, metric_named, simpbleu_score

R1 = "torrential rain disaster kills 43 people in western india"
R2 = "heavy rains plague western india leaving 43 dead"
CANDIDATES = {
    "C1": "torrential rain disaster",
    "C2": "torrential torrential torrential torrential rain disaster",
    "C3": "rain torrential disaster",
    "C4": R1,
    "C5": "43 people killed in disastrous torrential rain in western india",
    "C6": R2,
    "C7": "torrential rains hit western india , 43 people dead",
    "C8": "torrential rain disaster kills file action count alignment each",
}
UNSMOOTHED = {
    "PGBC4": {"C1": 0, "C2": 0, "C7": 0, "C8": 0.298475, "C4": 1},
    "PABC4": {"C1": 0.101501, "C2": 0.174378, "C3": 0.033834, "C5": 0.317361, "C6": 0.114252, "C7": 0.201389, "C4": 1},
    "PABC3": {"C1": 0.135335, "C2": 0.232503, "C3": 0.045112, "C5": 0.423148, "C6": 0.152336, "C8": 0.368386},
    "PGBC2": {"C1": 0.135335, "C2": 0.271249, "C3": 0, "C5": 0.557773, "C6": 0.204258, "C7": 0.372678},
    "RABC4": {"C1": 0.024570, "C2": 0.110114, "C3": 0.011278, "C5": 0.355159, "C6": 0.101119},
    "RABC2": {"C1": 0.039473, "C2": 0.176905, "C3": 0.022556, "C5": 0.638889, "C7": 0.402778},
    "RGC2": {"C1": 0.288675, "C2": 0.288675, "C3": 0, "C5": 0.623610, "C6": 0.204124},
    "PAC4": {"C1": 0.75, "C2": 0.2875, "C3": 0.25, "C6": 0.129464},
    "PGBC3": {"C2": 0.223448},
    "PGB3": {"C2": 0.281527},
}
ALPHA_1_PLAIN = {
    "PGBC4": {"C1": 0.135335, "C2": 0.249365, "C3": 0.086472, "C5": 0.317023, "C7": 0.244462, "C8": 0.392815},
    "PGB4": {"C2": 0.286811, "C5": 0.326497},
    "RGBC4": {"C1": 0.035551, "C2": 0.159330, "C6": 0.176148},
    "RABC2": {"C1": 0.049623, "C2": 0.222395, "C5": 0.677778},
    "PAC4": {"C1": 1.0, "C2": 0.430357, "C3": 0.708333},
}
ALPHA_1_SMOOTHED = {
    "PGBC4": {"C1": 0.223130, "C2": 0.267828, "C3": 0.142567, "C6": 0.202942},
    "PABC3": {"C1": 0.223130, "C2": 0.319515, "C3": 0.136357, "C6": 0.249750},
    "RABC4": {"C1": 0.062822, "C2": 0.183411, "C3": 0.043453, "C6": 0.199120},
}
ALPHA_3_SMOOTHED = {
    "PGBC4": {"C1": 0.367879, "C2": 0.420887, "C5": 0.470371, "C7": 0.417226, "C8": 0.515663},
    "RABC2": {"C1": 0.175579, "C2": 0.341981, "C6": 0.394293},
}
TABLES = [(UNSMOOTHED, 0, False), (ALPHA_1_PLAIN, 1, False), (ALPHA_1_SMOOTHED, 1, True), (ALPHA_3_SMOOTHED, 3, True)]
CASES = [
    (variant, name, alpha, smooth, value)
    for table, alpha, smooth in TABLES
    for variant, row in table.items()
    for name, value in row.items()
]


def rows(hypotheses: list[str], *references: list[str]) -> np.ndarray:
    return metric_named("simpbleu:PGBC4|tok:none").prepare(list(references)).statistics(hypotheses)


@pytest.mark.parametrize(("variant", "name", "alpha", "smooth", "value"), CASES)
def test_worked_example(variant: str, name: str, alpha: float, smooth: bool, value: float) -> None:
    found = simpbleu_score(variant, rows([CANDIDATES[name]], [R1]), alpha, smooth)
    assert found == pytest.approx([value], abs=1e-6)


@pytest.mark.parametrize(
    ("variant", "hypothesis", "reference", "value"),
    [
        ("PABC2", "the cat on mat", "the cat sat on the mat the end", 0.245253),
        ("RABC2", "the cat on mat", "the cat sat on the mat the end", 0.118247),
        ("RAB2", "the cat on mat", "the cat sat on the mat the end", 0.164232),
        ("RAC2", "the cat on mat", "the cat sat on the mat the end", 0.321429),
        ("PGBC2", "the cat the cat on the mat", "the cat sat on the mat", 0.597614),
        ("PGB2", "the cat the cat on the mat", "the cat sat on the mat", 0.816497),
        ("RABC2", "the cat the cat on the mat", "the cat sat on the mat", 0.716667),
        ("PABC4", "the cat sat on mat", "the cat sat on the mat", 0.596991),
        ("PGBC4", "the cat sat on mat", "the cat sat on the mat", 0.578930),
        ("RAC4", "the cat sat on mat", "the cat sat on the mat", 0.566667),
    ],
)
def test_clipping_on_either_side(variant: str, hypothesis: str, reference: str, value: float) -> None:
    assert simpbleu_score(variant, rows([hypothesis], [reference]), 0.0) == pytest.approx([value], abs=1e-6)


def test_empty_hypothesis_and_one_word() -> None:
    empty, word = rows([""], [R1]), rows(["rain"], [R1])
    assert simpbleu_score("PGBC4", empty, 0) == 0
    assert simpbleu_score("PGBC4", empty, 1, smooth_penalty=False) == 0
    assert simpbleu_score("PGBC4", empty, 1) == pytest.approx([0.000123], abs=1e-6)
    assert simpbleu_score("RABC2", empty, 1) == pytest.approx([0.000013], abs=1e-6)
    assert simpbleu_score("PGBC4", word, 1) == pytest.approx([0.018316], abs=1e-6)
    assert simpbleu_score("RABC2", word, 0) == pytest.approx([0.000019], abs=1e-6)


def test_corpus_scores_pool_counts() -> None:
    hypotheses, references = [CANDIDATES["C7"], CANDIDATES["C6"]], [R1, R1]
    for variant, value in {"PGBC2": 0.289260, "PABC3": 0.210760, "PABC4": 0.158070, "RABC2": 0.297922}.items():
        metric = metric_named(f"simpbleu:{variant}|tok:none")
        sums = metric.prepare([references]).statistics(hypotheses).sum(0, keepdims=True)
        assert metric.score(sums) == pytest.approx([100 * value], abs=1e-4)


def test_several_references_are_averaged() -> None:
    for variant, name, value in (("RABC2", "C7", 0.393353), ("RABC2", "C5", 0.448909), ("PABC3", "C5", 0.280093)):
        metric = metric_named(f"simpbleu:{variant}|tok:none|alpha:0")
        scores = metric.segment_scores(metric.prepare([[R1], [R2]]).statistics([CANDIDATES[name]]))
        assert scores == pytest.approx([100 * value], abs=1e-4)


def test_pgbc4_is_bleu_without_smoothing() -> None:
    hypotheses = [CANDIDATES["C8"], CANDIDATES["C5"], CANDIDATES["C4"]]
    metric = metric_named("simpbleu:PGBC4")
    sums = metric.prepare([[R1] * 3]).statistics(hypotheses).sum(0, keepdims=True)
    assert metric.score(sums) == pytest.approx([BLEU(smooth_method="none").corpus_score(hypotheses, [[R1] * 3]).score])


def test_there_are_64_variants_and_all_are_bounded() -> None:
    assert len(set(VARIANTS)) == 64
    statistics = rows(list(CANDIDATES.values()), [R1] * len(CANDIDATES))
    for variant in VARIANTS:
        scores = simpbleu_score(variant, statistics, 1.0)
        assert np.isfinite(scores).all()
        # Without clipping and penalty a recall may count a word of the reference only once, so 1 bounds all.
        assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()


@pytest.mark.parametrize("name", ["simpbleu:PXBC4", "simpbleu", "simpbleu:PABC5", "simpbleu:PABC4|alpha:x", "bleu:PABC4"])
def test_unknown_variants_are_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        metric_named(name)
    assert caught.value.code == "unknown-metric"


def test_a_corpus_may_be_the_mean_of_its_segments() -> None:
    metric, mean = metric_named("simpbleu:PABC4|alpha:3|bp:plain"), metric_named("simpbleu:PABC4|alpha:3|bp:plain|corpus:mean")
    hypotheses, references = list(CANDIDATES.values()), [R1] * len(CANDIDATES)
    segments = metric.segment_scores(metric.prepare([references]).statistics(hypotheses))
    statistics = mean.prepare([references]).statistics(hypotheses)
    assert mean.segment_scores(statistics).tolist() == segments.tolist()
    assert float(mean.score(statistics.sum(0)[None])[0]) == pytest.approx(segments.mean())
    assert mean.options() == metric.options() + "|corpus:mean"
