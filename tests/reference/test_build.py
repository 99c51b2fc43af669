"""`assay build` from beginning to end, on a few rows of the data, into folders that are not there yet."""

import gzip
from itertools import islice
from pathlib import Path

from app.engine import Engine, load_engine
from app.metrics import load_trained_metrics
from scripts.mlqe_pe.everything import build_everything

ROWS = 120


def test_everything_is_built_from_a_few_rows(shared: Path, tmp_path: Path) -> None:
    source, data = shared / "data" / "mlqe-pe" / "ro-en", tmp_path / "data" / "ro-en"
    data.mkdir(parents=True)
    for path in source.glob("*.gz"):
        with (
            gzip.open(path, "rt", encoding="utf-8", newline="\n") as text,
            gzip.open(data / path.name, "wt", encoding="utf-8") as out,
        ):
            out.writelines(islice(text, ROWS + path.name.endswith(".tsv.gz")))
    told: list[str] = []
    resources, models = tmp_path / "made" / "resources", tmp_path / "made" / "models"
    build_everything(tmp_path / "data", resources, models, told.append, beer=shared / "reference" / "beer")
    engine = load_engine(Engine.open(resources, models))
    assert len(engine.models) == 10
    assert set(engine.registry.word_taggers) == {"ro-en-words", "ro-en-words-nmt"}
    assert set(engine.registry.metrics) == {"beer-2.0", "beer-mlqe-en"}
    assert load_trained_metrics(models / "metrics").keys() == engine.registry.metrics.keys()
    assert any("Pearson" in line for line in told)
