"""K-best batch MIRA: large margins between hope and fear hypotheses (Cherry and Foster 2012; Chiang et al. 2008).

Song's thesis (2015, §2.2.2) gives the closed form of the margin. Gains are corpus scores with the background of earlier choices.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from app.running.journal import Journal
from app.smt.tuning.method import Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.online.constraint_kernels import ALL_PAIRS, ONE_PAIR, THREE_PAIRS
from app.smt.tuning.online.learner import LESSON_OPTIONS, Lesson, learn
from app.smt.tuning.online.step_kernels import BEST, FEAR, HOPE, MARGIN, MIXTURE, MODEL
from app.smt.tuning.weights import normalised
from app.smt.tuning.work import work_of_online_learning
from app.text.reading.options import Choice, Number

__all__ = ["MIRA", "tune_mira"]


def tune_mira(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Learn by margin steps of at most C, or C/2 if the objective has no 1/2 before the squared distance (``cap:half``).

    C and the scale of gains are relative to the size of the weights: start weights are normalised to an absolute sum of 1.
    """
    lesson = Lesson.of(settings, MARGIN, settings["target"], settings["rival"], settings["C"] * settings["cap"])
    lesson = replace(lesson, pairs=settings["constraints"], oracles=settings["oracles"])
    return learn(replace(data, start=normalised(data.start)), lesson, rng, journal)


MIRA: Final = TuningMethod(
    "mira",
    "k-best batch MIRA: margins between hope and fear, with a decaying background for corpus metrics",
    {
        "C": Number(1e-9, 1e9, 0.03),
        "cap": Choice({"whole": 1.0, "half": 0.5}, 1.0),
        "target": Choice({"hope": HOPE, "best": BEST, "mixed": MIXTURE}, HOPE),
        "rival": Choice({"fear": FEAR, "model": MODEL}, FEAR),
        "mix": Number(0.0, 1.0, 0.5),
        "constraints": Choice({"one": ONE_PAIR, "three": THREE_PAIRS, "all": ALL_PAIRS}, ONE_PAIR),
        "oracles": Number(1, 20, 1, is_whole=True),
        **LESSON_OPTIONS,
    },
    tune_mira,
    "Cherry and Foster 2012; Song 2015, §2.2.2",
    work_of_online_learning,
)
