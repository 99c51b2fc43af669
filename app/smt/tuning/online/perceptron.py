"""The averaged structured perceptron: towards an oracle of each list, away from the model's choice (Collins 2002).

Song's thesis (2015), equation 2.17 and Algorithm 2.2.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from app.running.journal import Journal
from app.smt.tuning.method import Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.online.learner import LESSON_OPTIONS, Lesson, learn
from app.smt.tuning.online.step_kernels import BEST, HOPE, MIXTURE, MODEL, PLAIN
from app.smt.tuning.weights import normalised
from app.smt.tuning.work import work_of_online_learning
from app.text.reading.options import Choice, Number

__all__ = ["PERCEPTRON", "tune_perceptron"]


def tune_perceptron(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Learn by steps of a fixed rate for each list whose oracle has a higher gain than the model's choice.

    The rate is relative to the size of the weights: start weights are normalised to an absolute sum of 1.
    """
    lesson = Lesson.of(settings, PLAIN, settings["oracle"], MODEL, settings["rate"])
    return learn(replace(data, start=normalised(data.start)), lesson, rng, journal)


PERCEPTRON: Final = TuningMethod(
    "perceptron",
    "structured perceptron, averaged, towards oracles",
    {
        "rate": Number(1e-9, 1e9, 0.1),
        "oracle": Choice({"hope": HOPE, "best": BEST, "mixed": MIXTURE}, HOPE),
        "mix": Number(0.0, 1.0, 0.5),
        **LESSON_OPTIONS,
    },
    tune_perceptron,
    "Collins 2002; Song 2015, §2.2.2",
    work_of_online_learning,
)
