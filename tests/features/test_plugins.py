"""Groups of features from other packages."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from app.features import Family, FeatureGroup, PairResources, extract_features
from app.features.catalogue import FeatureSet, catalogue_of, installed_groups
from app.running import plug_ins
from app.settings import ROOT
from app.text import LanguagePair, SegmentBatch, pack_lines

GROUP = FeatureGroup("Mine", "a test")
GROUP.add("mine.double", "double", "Twice the source tokens", Family.COMPLEXITY, lambda view: 2 * view.source.lengths)


def test_a_group_of_ones_own_is_declared_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("mine", f"{__name__}:GROUP", "assay.features")]

    def installed(group: str) -> Any:
        return points if group == "assay.features" else []

    monkeypatch.setattr(plug_ins, "entry_points", installed)
    groups = installed_groups()
    assert groups == (GROUP,)
    wanted = FeatureSet("mine", "", tuple(catalogue_of(groups).values()))
    batch = SegmentBatch(LanguagePair("ro", "en"), pack_lines(["a b c"]), pack_lines(["x"]))
    assert extract_features(batch, wanted, PairResources(batch.pair)).values.tolist() == [[6]]


@pytest.mark.parametrize(
    ("group", "command", "code", "reason"),
    [
        ("features", ["features", "--list"], "raise RuntimeError('no licence file')", "RuntimeError: no licence file"),
        ("features", ["features", "--list"], "raise SystemExit(3)", "SystemExit: 3"),
        ("features", ["features", "--list"], "", "AttributeError"),
        ("features", ["features", "--list"], "PART = 3", "TypeError: this is int, and no FeatureGroup"),
        (
            "features", ["features", "--list"],
            "from app.features.declaration import Family, FeatureGroup\nPART = FeatureGroup('Mine', 'a test')\n"
            "PART.add('1001', 'x', 'x', Family.COMPLEXITY, len)", "the feature id '1001' is taken",
        ),
        ("metrics", ["score", "README.md", "-i", "README.md"], "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("metrics", ["score", "README.md", "-i", "README.md"], "PART = 'x'", "TypeError: this is str, and no MetricEntry"),
    ],
)  # fmt: skip
def test_a_broken_plug_in_is_named(tmp_path: Path, group: str, command: list[str], code: str, reason: str) -> None:
    information = tmp_path / "broken_part-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-part\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[assay.{group}]\nmine = broken_part:PART\n")
    (tmp_path / "broken_part.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path)])}
    done = subprocess.run(
        [sys.executable, "-m", "app", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"mine = broken_part:PART of the package broken-part in assay.{group}" in done.stderr
    assert reason in done.stderr


def test_an_id_is_taken_once() -> None:
    with pytest.raises(ValueError, match=r"mine\.double"):
        catalogue_of((GROUP, GROUP))
