"""Checks of Weblate by Assay: errors of structure and meaning, and a predicted quality below a limit.

Settings of Weblate: `ASSAY_URL`, `ASSAY_KEY` if the server needs a key, `ASSAY_MIN_QUALITY` (0.3 by default).
"""

import json
import logging
import urllib.request
from functools import lru_cache

from django.conf import settings
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy
from weblate.checks.base import TargetCheck

LOGGER = logging.getLogger("weblate.assay")
TIMEOUT_SECONDS = 10


@lru_cache(maxsize=1000)
def judged(source_language, target_language, source, target):
    """Segment of an answer: `confidence` from 0 to 1, and `warnings` with code, severity and words."""
    body = {
        "source_language": source_language,
        "target_language": target_language,
        "segments": [{"source": source, "translation": target}],
        "warnings": True,
        # A check runs at each change, so the encoder stays out.
        "profile": "fast",
    }
    headers = {"Content-Type": "application/json"}
    if getattr(settings, "ASSAY_KEY", ""):
        headers["Authorization"] = f"Bearer {settings.ASSAY_KEY}"
    address = f"{getattr(settings, 'ASSAY_URL', 'http://localhost:8000')}/v1/quality"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return json.load(answer)["segments"][0]


def segment_of(source, target, unit):
    """The judged segment of a unit; None without an answer, as for languages that Assay does not know."""
    languages = unit.translation.component.source_language, unit.translation.language
    tags = [language.code.replace("_", "-") for language in languages]
    try:
        return judged(*tags, source, target)
    except (OSError, ValueError) as error:
        LOGGER.warning("Assay did not answer: %s", error)
        return None


class AssayErrorCheck(TargetCheck):
    """Placeholders, tags, numbers and other errors that break a program or mislead its reader."""

    check_id = "assay_error"
    name = gettext_lazy("Error found by Assay")
    description = gettext_lazy("Assay found an error in the translation")

    def check_single(self, source, target, unit):
        """Return True for an error. A check without an answer stays as it was."""
        segment = segment_of(source, target, unit)
        return self.check_id in unit.all_checks_names if segment is None else bool(errors_of(segment))

    def get_description(self, check_obj):
        """Codes of the errors, with their words."""
        unit = check_obj.unit
        sources, targets = unit.get_source_plurals(), unit.get_target_plurals()
        segments = [segment_of(sources[min(k, len(sources) - 1)], target, unit) for k, target in enumerate(targets)]
        lines = dict.fromkeys(line for segment in segments if segment is not None for line in errors_of(segment))
        return format_html_join(", ", "{}", ((line,) for line in lines)) or super().get_description(check_obj)


class AssayQualityCheck(TargetCheck):
    """A predicted quality below `ASSAY_MIN_QUALITY`."""

    check_id = "assay_quality"
    name = gettext_lazy("Low predicted quality")
    description = gettext_lazy("Assay predicts a low quality of the translation")

    def check_single(self, source, target, unit):
        """Return True for a quality below the limit. A check without an answer stays as it was."""
        segment = segment_of(source, target, unit)
        if segment is None:
            return self.check_id in unit.all_checks_names
        return segment["confidence"] < getattr(settings, "ASSAY_MIN_QUALITY", 0.3)


def errors_of(segment):
    """Lines such as ``placeholders: {name} → {nom}``, one for each error."""
    lines = []
    for warning in segment["warnings"]:
        if warning["severity"] == "error":
            words = " → ".join(", ".join(side) for side in (warning["source"], warning["translation"]) if side)
            lines.append(f"{warning['code']}: {words}" if words else warning["code"])
    return lines
