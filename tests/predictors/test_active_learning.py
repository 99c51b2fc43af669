"""Choosing segments to annotate: by hand, against direct sums, over the shell's and the server's paths."""

import httpx2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.predictors import Model
from app.predictors.active_learning import DEFAULT_STRATEGY, STRATEGIES, density, information_density, select_segments
from app.text import LanguagePair
from tests.servers import wait_for_job

RO = LanguagePair("ro", "en")
POOL = [
    ("Casa este mare.", "The house is big."),
    ("x", "y"),
    ("Guvernul numește un prefect.", "The government appoints."),
    ("", ""),
]


def selected(engine: Engine, pool: Segments, count: int, strategy: str, name: str | None = None) -> tuple[Model, Int64s, Float64s]:
    model = engine.model_for(pool.pair, name, None, frozenset())
    return model, *select_segments(model, engine.model_features(pool, model.card.id), count, strategy)


@given(st.lists(st.lists(st.integers(-30, 30).map(lambda v: v / 10), min_size=3, max_size=3), min_size=1, max_size=12))
def test_density_is_the_mean_cosine(rows: list[list[float]]) -> None:
    x = np.array(rows)

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        norm = np.linalg.norm(a) * np.linalg.norm(b)
        return float(a @ b / norm) if np.linalg.norm(a) > 0 and np.linalg.norm(b) > 0 else 0.0

    expected = [max(0.0, np.mean([cosine(a, b) for b in x])) for a in x]
    assert density(x) == pytest.approx(expected, abs=1e-9)


def test_information_density_by_hand() -> None:
    # Two rows point one way, one the other: the lonely one is worth less although it is as uncertain.
    x = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    assert information_density(x, np.array([1.0, 0.5, 1.0])) == pytest.approx([2 / 3, 1 / 3, 1 / 3])


def test_the_most_uncertain_come_first(engine: Engine) -> None:
    sent = Segments(RO, [s for s, _ in POOL], [t for _, t in POOL])
    model, rows, worth = selected(engine, sent, 10, "variance")
    assert sorted(rows.tolist()) == [0, 1, 2, 3]
    assert (np.diff(worth) <= 0).all()
    std = engine.quality(sent, model.card.id).prediction.std
    assert std[rows].tolist() == sorted(std.tolist(), reverse=True)
    assert len(selected(engine, sent, 2, "information-density")[1]) == 2


def test_what_cannot_be_chosen_is_refused(engine: Engine) -> None:
    sent = Segments(RO, [s for s, _ in POOL], [t for _, t in POOL])
    with pytest.raises(InputError, match="equally unsure"):
        selected(engine, sent, 2, "variance", "ro-en-hter-svr-17")
    assert len(selected(engine, sent, 2, "density", "ro-en-hter-svr-17")[1]) == 2
    with pytest.raises(InputError, match="strategies are"):
        select_segments(engine.models["ro-en-hter-gp-17"], np.zeros((2, 17)), 1, "nope")
    assert set(STRATEGIES) == {"information-density", "variance", "density"}


def test_a_job_chooses_as_the_engine_does(client: httpx2.Client, engine: Engine) -> None:
    body = {"source_language": "ro", "target_language": "en", "count": 3}
    segments = [{"source": s, "translation": t} for s, t in POOL]
    created = client.post("/v1/jobs", json={"kind": "select", "params": {**body, "segments": segments}}).json()
    assert wait_for_job(client, created["id"])["state"] == "succeeded"
    result = client.get(f"/v1/jobs/{created['id']}/result").json()
    _, rows, worth = selected(engine, Segments(RO, [s for s, _ in POOL], [t for _, t in POOL]), 3, DEFAULT_STRATEGY)
    assert [each["segment"] for each in result["segments"]] == [row + 1 for row in rows.tolist()]
    assert [each["worth"] for each in result["segments"]] == pytest.approx(worth.tolist())
    assert result["segments"][0]["source"] == POOL[rows[0]][0]
    assert client.get(f"/v1/jobs/{created['id']}/result?format=tsv").text.startswith("segment\tworth\tsource")
    wrong = client.post("/v1/jobs", json={"kind": "select", "params": {**body, "strategy": "x", "segments": segments}})
    assert wrong.status_code == 422
