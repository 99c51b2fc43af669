"""Feature templates: JSON files with the names of a trained metric's features."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.learnt.features import check_features

__all__ = ["FeatureTemplate", "feature_template", "feature_templates", "read_template"]

FOLDER: Final = Path(__file__).parent / "templates"
LARGEST_FILE: Final = 100_000
# Outputs of the logistic objective.
RATIO, LOGISTIC = "ratio", "logistic"
# Beginnings of the names of features, by what they need beside the texts.
NEEDS: Final = {
    "function words": ("matchedfunction.", "matchedcontent."),
    "stems": ("matchedstem.",),
    "synonyms": ("matchedsynonym.",),
    "paraphrases": ("matchedparaphrase.",),
}


@dataclass(frozen=True)
class FeatureTemplate:
    """Names of the features of a trained metric, in order, with a description and source.

    `output` is that of the logistic objective: ``ratio`` to the reference's own score, or ``logistic``.
    """

    name: str
    description: str
    source: str
    features: tuple[str, ...]
    output: str = RATIO

    def without(self, missing: Collection[str]) -> "FeatureTemplate":
        """The template without the features that need something `missing`, of the keys of `NEEDS`."""
        beginnings = tuple(beginning for need in missing for beginning in NEEDS[need])
        return replace(self, features=tuple(name for name in self.features if not name.startswith(beginnings)))


def read_template(path: Path) -> FeatureTemplate:
    """Read a template file; InputError (``unknown-feature-set``) if it is damaged or names unknown features."""
    try:
        values = json.loads(path.read_bytes()[: LARGEST_FILE + 1])
        template = FeatureTemplate(
            str(values["name"]),
            str(values.get("description", "")),
            str(values.get("source", "")),
            tuple(values["features"]),
            values.get("output", RATIO),
        )
        if (
            template.output not in (RATIO, LOGISTIC)
            or not template.features
            or not all(isinstance(name, str) for name in template.features)
        ):
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
