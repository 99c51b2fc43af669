"""Stored training rows: those of shipped predictors have all features, and lacking ones are named."""

from dataclasses import replace

import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.train import TrainRequest
from app.operations.train.planning import ROWS_TO_RETRAIN, chosen_method

MODEL = "ro-en-hter-blend-104"


def test_what_was_not_kept_is_named_with_a_way_out(engine: Engine) -> None:
    base = engine.models[MODEL]
    rows = engine.registry.rows(base)
    assert not rows.missing(base.card.features)
    count = rows.values.shape[1] - 9
    part = replace(rows, features=rows.features[:count], values=rows.values[:, :count])
    missing = part.missing(base.card.features)
    assert len(missing) == 9 and all(name.startswith("cross.") for name in missing)
    with pytest.raises(InputError, match=f"lack its features {missing[0]}, .* and 4 more, .* the method adapt"):
        part.of(base.card.features, "hter")
    with pytest.raises(InputError, match="have no label effort; the method adapt"):
        part.of(base.card.features, "effort")


def test_many_rows_retrain_a_base_whose_rows_are_whole_and_adapt_another(engine: Engine) -> None:
    def method(model: str, rows: int, method: str = "auto") -> str:
        fields = {
            "source_language": "ro",
            "target_language": "en",
            "label": "hter",
            "segments": [],
            "base": model,
            "method": method,
        }
        return chosen_method(TrainRequest.model_validate(fields), engine, engine.models[model], rows)

    assert method(MODEL, ROWS_TO_RETRAIN) == "retrain" and method(MODEL, ROWS_TO_RETRAIN, "adapt") == "adapt"
    assert method("any-any-hter-blend-45", ROWS_TO_RETRAIN) == "adapt"
    assert method("ro-en-hter-gp-17", ROWS_TO_RETRAIN) == "retrain" and method("ro-en-hter-gp-17", ROWS_TO_RETRAIN - 1) == "adapt"
    assert method("et-en-hter-gp-17", ROWS_TO_RETRAIN) == "adapt"
