"""Feature templates: files that name the features of a trained metric."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.learnt.features import check_features

__all__ = ["FeatureTemplate", "feature_template", "feature_templates", "read_template"]

FOLDER: Final = Path(__file__).parent / "templates"
LARGEST_FILE: Final = 100_000


@dataclass(frozen=True)
class FeatureTemplate:
    """The features of a trained metric, in order."""

    name: str
    description: str
    source: str
    features: tuple[str, ...]


def read_template(path: Path) -> FeatureTemplate:
    """A template file; InputError says what is wrong with it."""
    try:
        values = json.loads(path.read_bytes()[: LARGEST_FILE + 1])
        template = FeatureTemplate(
            str(values["name"]), str(values.get("description", "")), str(values.get("source", "")), tuple(values["features"])
        )
        if not template.features or not all(isinstance(name, str) for name in template.features):
            raise ValueError("features")
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            "unknown-feature-set", f'{path.name} is not a template: JSON with "name" and a list "features" of names'
        ) from None
    check_features(template.features)
    return template


def feature_templates() -> dict[str, FeatureTemplate]:
    """The templates that Assay has, by name."""
    return {path.stem: read_template(path) for path in sorted(FOLDER.glob("*.json"))}


def feature_template(name: str) -> FeatureTemplate:
    """The template called `name`; InputError lists those there are."""
    templates = feature_templates()
    if name not in templates:
        raise InputError("unknown-feature-set", f"templates are {', '.join(templates)}, or a file")
    return templates[name]
