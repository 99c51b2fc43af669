"""Groups of features from other packages."""

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from app.features import Family, FeatureGroup, PairResources, catalogue, extract_features
from app.features.catalogue import FeatureSet, catalogue_of, installed_groups
from app.text import LanguagePair, SegmentBatch, pack_lines

GROUP = FeatureGroup("Mine", "a test")
GROUP.add("mine.double", "double", "Twice the source tokens", Family.COMPLEXITY, lambda view: 2 * view.source.lengths)


def test_a_group_of_ones_own_is_declared_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("mine", f"{__name__}:GROUP", "assay.features")]

    def installed(group: str) -> Any:
        return points if group == "assay.features" else []

    monkeypatch.setattr(catalogue, "entry_points", installed)
    groups = installed_groups()
    assert groups == (GROUP,)
    wanted = FeatureSet("mine", "", tuple(catalogue_of(groups).values()))
    batch = SegmentBatch(LanguagePair("ro", "en"), pack_lines(["a b c"]), pack_lines(["x"]))
    assert extract_features(batch, wanted, PairResources(batch.pair)).values.tolist() == [[6]]


def test_an_id_is_taken_once() -> None:
    with pytest.raises(ValueError, match=r"mine\.double"):
        catalogue_of((GROUP, GROUP))
