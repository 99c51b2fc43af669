"""A metrics task from published judgements, against values of mt-metrics-eval for the same scores."""

import json
from pathlib import Path

import pytest

from tests.commands import assay


def test_chrf_on_mqm_of_ted_talks(shared: Path, tmp_path: Path) -> None:
    """`tau_optimization` (acc*eq and its threshold) and `compute_one_minus_pce` with 1,000 swaps of mt-metrics-eval."""
    table = tmp_path / "ted.tsv"
    table.write_text(assay("mqm", str(shared / "data" / "wmt-mqm" / "mqm_ted_ende.tsv.gz"), "--reference", "ref").stdout, "utf-8")
    asked = ["--human", "mqm", "-m", "chrf", "--group", "segment", "--system", "system", "-a", "accuracy-calibrated"]
    found = json.loads(assay("correlate", str(table), *asked, "--format", "json").stdout)
    (row,) = found["metrics"]
    assert row["accuracy-calibrated"] == pytest.approx(0.4802966409771693, abs=1e-9)
    assert row["epsilon"] == pytest.approx(92.5925925925926)
    assert row["system-soft-accuracy"] == pytest.approx(0.6688076923, abs=0.01)
    assert len(found["systems"]) == 13 and sum(system["translations"] for system in found["systems"]) == 6877
