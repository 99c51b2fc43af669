"""Metric ASSAY for validations of EOLE: the mean predicted quality of the outputs, from 0 (worst) to 1 (best), without references.

Environment: `ASSAY_URL`, `ASSAY_KEY` if the server needs a key, and the languages as `ASSAY_PAIR`, such as ``en-de``.
"""

import json
import os
import urllib.request

from eole.scorers import register_scorer
from eole.scorers.scorer import Scorer

# The most segments of one call by the server's default.
PART = 1000
TIMEOUT_SECONDS = 600


@register_scorer(metric="ASSAY")
class AssayScorer(Scorer):
    """Mean confidence of a server of Assay."""

    higher_is_better = True

    def compute_score(self, preds, texts_refs, texts_srcs=None):
        """The mean over all outputs; 0 without outputs. ValueError without sources, which EOLE passes from 0.5.2 on."""
        if not preds:
            return 0.0
        if not texts_srcs:
            raise ValueError("ASSAY needs the sources, which this version of EOLE does not pass to scorers")
        parts = [slice(begin, begin + PART) for begin in range(0, len(preds), PART)]
        confidences = [value for part in parts for value in confidences_of(texts_srcs[part], preds[part])]
        return sum(confidences) / len(confidences)


def confidences_of(sources, translations):
    """Confidences of segments, in their order."""
    source_language, target_language = os.environ["ASSAY_PAIR"].split("-")
    segments = [{"source": source, "translation": text} for source, text in zip(sources, translations, strict=True)]
    body = {"source_language": source_language, "target_language": target_language, "segments": segments}
    headers = {"Content-Type": "application/json"}
    if os.environ.get("ASSAY_KEY"):
        headers["Authorization"] = f"Bearer {os.environ['ASSAY_KEY']}"
    address = f"{os.environ.get('ASSAY_URL', 'http://localhost:8000')}/v1/quality"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return [segment["confidence"] for segment in json.load(answer)["segments"]]
