"""`benchmarks.smt.lists.rescoring_grid` against the figures that the thesis' digest computed by other means."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.smt.lists.rescoring_grid import commands
from tests.conftest import SHARED

# Moses' defaults, in the order of its features.
DEFAULTS = {"d": [0.4, *[0.15] * 6], "lm": [0.5], "w": [-1.0], "tm": [0.2] * 5}


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = SHARED / "data" / "moses-mert"
    if not folder.exists():
        pytest.skip("the shared data are not here")
    weights = tmp_path_factory.mktemp("grid") / "weights.json"
    scaled = {name: [value / 3.8 for value in row] for name, row in DEFAULTS.items()}
    weights.write_text(json.dumps({"format": "assay-weights", "version": 1, "weights": scaled}))
    lists = ["--dev", str(folder / "run1.nbest.gz"), "--dev-reference", str(folder / "reference.0"), "--weights", str(weights)]
    metrics = ["-m", "bleu|tok:none|smooth:none", "-m", "sbleu|tok:none", "--oracle-metric", "sbleu|tok:none"]
    printed = CliRunner().invoke(commands, [*lists, *metrics, "--size", "200", "--format", "json"])
    assert printed.exit_code == 0, printed.output
    answer = json.loads(printed.stdout)
    assert all(signature.startswith("nrefs:1|") for signature in answer["signatures"].values())
    return answer


def test_the_grid_has_the_scores_of_the_digest(grid: Any) -> None:
    bleu = {row["system"]: round(row["scores"]["bleu|tok:none|smooth:none"], 4) for row in grid["rows"]}
    assert bleu == {"baseline": 27.6695, "sum sbleu|tok:none": 26.3536, "prod sbleu|tok:none": 27.2856}
    assert {row["on_top"]["sbleu|tok:none"] for row in grid["rows"]} == {0.2}
    movement = {row["system"]: (row["movement"]["up"], row["movement"]["down"]) for row in grid["rows"][1:]}
    assert movement == {"sum sbleu|tok:none": (3, 2), "prod sbleu|tok:none": (0, 4)}


def test_its_weights_are_those_of_the_digest(grid: Any) -> None:
    weights = {row["system"]: row["weights"] for row in grid["weights"]}
    assert weights["sum sbleu|tok:none"]["lm"] == pytest.approx([0.66974], abs=1e-5)
    assert weights["prod sbleu|tok:none"]["lm"] == pytest.approx([0.13043], abs=1e-5)


def test_a_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no list\n")
    printed = CliRunner().invoke(commands, ["--dev", str(tmp_path / "x"), "--dev-reference", str(tmp_path / "x")])
    assert printed.exit_code != 0
