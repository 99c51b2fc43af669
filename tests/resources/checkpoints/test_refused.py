"""Files that `assay resources import-checkpoint` refuses. The tests need the extra `convert`, which CI lacks, and are skipped without it."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError

DATA = Path(__file__).parent / "data"


class Code:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("code ran",))


def refusal_of(path: Path, capfd: pytest.CaptureFixture[str], encoder: Path | None = None, **members: Any) -> str:
    for package in ("torch", "onnx", "transformers"):
        pytest.importorskip(package)
    from app.resources.checkpoints.conversion import ImportRequest, import_checkpoint

    folder = path.parent / "imported"
    with pytest.raises(InputError) as error:
        import_checkpoint(ImportRequest(path, members.pop("name", "x"), "MIT", encoder, **members), folder)
    assert "code ran" not in capfd.readouterr().out and not list(folder.glob("*"))
    return error.value.detail


def test_code_is_refused_and_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    file = tmp_path / "model.ckpt"
    torch.save({"state_dict": {}, "hyper_parameters": Code()}, file)
    assert "holds code that reading it would run" in refusal_of(file, capfd) and "print" in refusal_of(file, capfd)
    file.write_bytes(pickle.dumps(Code()))
    assert "holds code" in refusal_of(file, capfd) or "damaged" in refusal_of(file, capfd)


def test_damaged_and_unknown_files_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    for name in ("model.ckpt", "model.safetensors"):
        (tmp_path / name).write_bytes(b"no checkpoint")
        assert "damaged" in refusal_of(tmp_path / name, capfd)
    assert "neither a file nor a folder" in refusal_of(tmp_path / "nothing", capfd)
    whole = tmp_path / "whole.ckpt"
    torch.save({"state_dict": {"a": torch.zeros(3)}, "hyper_parameters": {"class_identifier": "xcomet_metric"}}, whole)
    assert "there is no tokeniser" in refusal_of(whole, capfd)
    assert "'xcomet_metric'; regression_metric" in refusal_of(whole, capfd, DATA / "comet-estimator")
    assert "a name has letters" in refusal_of(whole, capfd, name="../x")
    torch.save({"state_dict": {"a": torch.zeros(3)}, "hyper_parameters": {"class_identifier": "regression_metric"}}, whole)
    assert "there is no config.json" in refusal_of(whole, capfd, DATA / "comet-estimator")
