"""Reader of model folders of the released BEER 2.0 (Stanojević and Sima'an; Apache-2.0)."""

from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.learnt.features import check_features

__all__ = ["read_published_beer"]

LARGEST_FILE: Final = 1_000_000


def read_published_beer(folder: Path, name: str = "beer-2.0") -> TrainedMetric:
    """The metric in ``core_model``, ``feature_names_mapping``, ``feature_values_scaling`` and ``output_scaling``.

    InputError (``unknown-model``) names a file that is missing, damaged or of another size than the rest.
    """
    features = [line.split()[1] for line in _lines(folder / "feature_names_mapping")]
    check_features(features)
    bounds = [_numbers(folder / "feature_values_scaling", line) for line in _lines(folder / "feature_values_scaling")]
    weights = _weights(folder / "core_model")
    output = _weights(folder / "output_scaling")
    if not len(features) == len(weights) == len(bounds) or len(output) != 2:
        raise InputError(
            "unknown-model",
            f"{folder.name}: {len(features)} names, {len(weights)} weights and {len(bounds)} bounds differ in number",
        )
    return TrainedMetric(
        id=name,
        kind="beer",
        language="any",
        features=tuple(features),
        low=tuple(pair[0] for pair in bounds),
        high=tuple(pair[1] for pair in bounds),
        weights=tuple(weights),
        # The released scaler has judgements of 0-100; the tool divides by 100 and clips.
        intercept=output[0] / 100.0,
        slope=output[1] / 100.0,
        clip=(0.0, 1.0),
        scale=100.0,
        unit="points (0-100)",
        tokenise="none",
        card={
            "description": "BEER 2.0 as released: weights of its default model, trained on WMT relative rankings",
            "source": "https://github.com/stanojevic/beer",
            "licence": "Apache-2.0",
            "limitations": "Code points are counted where the tool counts UTF-16 units; the corpus score is the mean "
            "over N segments where the tool's command line divides by N + 1.",
        },
    )


def _lines(path: Path) -> list[str]:
    if not path.is_file() or path.stat().st_size > LARGEST_FILE:
        raise InputError("unknown-model", f"{path.name} is missing or larger than a BEER model's")
    return [line for line in path.read_text("utf-8").split("\n") if line.strip()]


def _numbers(path: Path, line: str) -> list[float]:
    try:
        return [float(cell) for cell in line.split()]
    except ValueError:
        raise InputError("unknown-model", f"{path.name} holds a cell that is no number") from None


def _weights(path: Path) -> list[float]:
    lines = _lines(path)
    if "w" not in lines:
        raise InputError("unknown-model", f"{path.name} is not a liblinear model")
    return [_numbers(path, line)[0] for line in lines[lines.index("w") + 1 :]]
