"""Texts with universal parts of speech, ``word|TAG``, by the taggers that come with Assay."""

from collections.abc import Sequence
from pathlib import Path

from app.metrics.analysis.ngram_differences import metric_tokens
from app.resources.linear_tagger import LINEAR_TAGGER, load_linear_model
from app.resources.tagger import UNIVERSAL_TAGS
from app.text.batch import pack_tokens

__all__ = ["tagged_texts", "tokeniser_of"]


def tokeniser_of(language: str) -> str:
    """Name of the tokeniser of metrics for a target language."""
    return "zh" if language == "zh" else "13a"


def tagged_texts(texts: Sequence[str], language: str, resources: Path) -> list[str]:
    """Tokens of the metrics' tokeniser, each with its tag by the tagger of the language in the folder `resources`."""
    tokens = metric_tokens(texts, tokeniser_of(language))
    model = load_linear_model(resources / language / "tagger" / LINEAR_TAGGER)
    tags = iter(model.annotate(pack_tokens(tokens), parse=False)[0].tolist())
    return [" ".join(f"{word}|{UNIVERSAL_TAGS[next(tags)]}" for word in row) for row in tokens]
