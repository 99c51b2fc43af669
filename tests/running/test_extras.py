"""Packages of extras that are not installed: errors name the extra."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import InputError
from app.running.clusters import connected
from app.running.extras import package_of
from app.scale.files.places import place_of
from app.scale.files.shards import shards_of
from app.scale.files.writing import arrow_of, writer_of
from app.server.jobs.hosts.model_store import ModelStore

CALLS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a table of Parquet": ("pyarrow", lambda folder: shards_of([f"{folder}/x.parquet"])),
    "packed lines": ("pyarrow", lambda folder: writer_of((folder / "x").open("wb"), "x.tsv.zst").__enter__()),
    "a batch of Arrow": ("pyarrow", lambda folder: arrow_of({"a": [1]})),
    "an address": ("fsspec", lambda folder: place_of(f"{folder}/x.parquet")),
    "a store of models": ("fsspec", lambda folder: ModelStore(folder, str(folder / "store"))),
    "a cluster": ("ray", lambda folder: connected("auto")),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_without_its_package_names_the_extra(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, call = CALLS[name]
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"{package} cannot be imported .*pip install 'assay\[(parquet|cluster)\]'"):
        call(tmp_path)


def test_a_store_of_unknown_kind_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere://models cannot be opened"):
        ModelStore(tmp_path, "nowhere://models")


def test_an_installed_package_is_its_module() -> None:
    assert package_of("os.path", "parquet") is sys.modules["os.path"]
