"""The trained metrics that ship are what their command makes of the data."""

import json
from pathlib import Path

import pytest

from app.settings import ROOT
from app.text import LanguagePair
from recipes.mlqe_pe.everything import language_pairs
from recipes.mlqe_pe.metrics import build_function_words, build_metrics, import_beer

SHIPPED = ROOT / "models" / "metrics"


def test_german_metrics_are_rebuilt(shared: Path, tmp_path: Path) -> None:
    data, _ = language_pairs(shared / "data")
    told: list[str] = []
    build_metrics(data, [LanguagePair("en", "de")], ROOT / "resources", tmp_path, told.append)
    assert told == ["models/metrics/rose-reg-de", "models/metrics/rose-rank-de", "models/metrics/beer-mlqe-de"]
    for path in sorted((tmp_path / "metrics").iterdir()):
        made, shipped = (json.loads(each.read_text()) for each in (path, SHIPPED / path.name))
        # Where the solver stops depends on the last digits of sums, and so on the processor.
        assert made.pop("weights") == pytest.approx(shipped.pop("weights"), rel=5e-3, abs=1e-4)
        assert made["card"] == shipped["card"] and made["function_words"] == shipped["function_words"]


def test_beer_and_function_words_are_rebuilt_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    import_beer(shared / "reference" / "beer", tmp_path)
    assert (tmp_path / "metrics" / "beer-2.0.json").read_bytes() == (SHIPPED / "beer-2.0.json").read_bytes()
    build_function_words(shared / "data" / "ud", tmp_path)
    assert (tmp_path / "function_words.json").read_bytes() == (ROOT / "resources" / "function_words.json").read_bytes()
