"""Feature templates: JSON files with the names of a trained metric's features."""

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
    """Names of the features of a trained metric, in order, with a description and source."""

    name: str
    description: str
    source: str
    features: tuple[str, ...]


def read_template(path: Path) -> FeatureTemplate:
    """Read a template file; InputError (``unknown-feature-set``) if it is damaged or names unknown features."""
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
    """Templates of Assay by name."""
    return {path.stem: read_template(path) for path in sorted(FOLDER.glob("*.json"))}


def feature_template(name: str) -> FeatureTemplate:
    """The template called `name`; InputError lists all names."""
    templates = feature_templates()
    if name not in templates:
        raise InputError("unknown-feature-set", f"templates are {', '.join(templates)}, or a file")
    return templates[name]
