"""What `assay resources import-checkpoint` refuses. It needs the extra `convert`, which CI has not: these run where torch and onnx are installed."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError

DATA = Path(__file__).parent / "data"


class Code:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("this ran",))


def refused(path: Path, capfd: pytest.CaptureFixture[str], encoder: Path | None = None, **members: Any) -> str:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from app.resources.checkpoints.conversion import Wanted, import_checkpoint

    folder = path.parent / "imported"
    with pytest.raises(InputError) as error:
        import_checkpoint(Wanted(path, members.pop("name", "x"), "MIT", encoder, **members), folder)
    assert "this ran" not in capfd.readouterr().out and not list(folder.glob("*"))
    return error.value.detail


def test_code_is_refused_and_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    file = tmp_path / "model.ckpt"
    torch.save({"state_dict": {}, "hyper_parameters": Code()}, file)
    assert "holds code that reading it would run" in refused(file, capfd) and "print" in refused(file, capfd)
    file.write_bytes(pickle.dumps(Code()))
    assert "holds code" in refused(file, capfd) or "damaged" in refused(file, capfd)


def test_damaged_and_other_files_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    for name in ("model.ckpt", "model.safetensors"):
        (tmp_path / name).write_bytes(b"nothing of this kind")
        assert "damaged" in refused(tmp_path / name, capfd)
    assert "neither a file nor a folder" in refused(tmp_path / "nothing", capfd)
    whole = tmp_path / "whole.ckpt"
    torch.save({"state_dict": {"a": torch.zeros(3)}, "hyper_parameters": {"class_identifier": "xcomet_metric"}}, whole)
    assert "there is no tokeniser" in refused(whole, capfd)
    assert "'xcomet_metric'; regression_metric" in refused(whole, capfd, DATA / "comet-estimator")
    assert "a name has letters" in refused(whole, capfd, name="../x")
    torch.save({"state_dict": {"a": torch.zeros(3)}, "hyper_parameters": {"class_identifier": "regression_metric"}}, whole)
    assert "there is no config.json" in refused(whole, capfd, DATA / "comet-estimator")
