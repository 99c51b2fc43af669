"""Models of an encoder, whose kept rows lack what it says of texts that are not kept."""

import pytest

from app.engine import Engine
from app.errors import InputError
from app.operations.train import TrainRequest
from app.operations.train.planning import ROWS_TO_RETRAIN, chosen_method

MODEL = "ro-en-hter-blend-116"


def test_what_was_not_kept_is_named_with_a_way_out(engine: Engine) -> None:
    base = engine.models[MODEL]
    rows = engine.registry.rows(base)
    missing = rows.missing(base.card.features)
    assert missing and all(name.startswith("enc.") for name in missing)
    with pytest.raises(InputError, match=f"lack its features {missing[0]}, .* and {len(missing) - 5} more, .* the method adapt"):
        rows.of(base.card.features, "hter")
    with pytest.raises(InputError, match="have no label effort; the method adapt"):
        rows.of(base.card.features, "effort")


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

    assert method(MODEL, ROWS_TO_RETRAIN) == "adapt" and method(MODEL, ROWS_TO_RETRAIN, "retrain") == "retrain"
    assert method("ro-en-hter-gp-17", ROWS_TO_RETRAIN) == "retrain" and method("ro-en-hter-gp-17", ROWS_TO_RETRAIN - 1) == "adapt"
    assert method("et-en-hter-gp-17", ROWS_TO_RETRAIN) == "adapt"
