"""Further packages for `benchmarks.metrics`, if a folder has them: bleuscore, fastchrf and torchmetrics.

``pip install --target FOLDER --no-deps bleuscore fastchrf torchmetrics lightning-utilities torch`` fills the folder.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

__all__ = ["rivals_in"]

Texts = Mapping[str, list[str]]
Work = Callable[[list[str], Texts], list[float]]


def _bleuscore(module: Any, reference: list[str], systems: Texts) -> list[float]:
    references = [[text] for text in reference]
    return [100 * module.compute(references, texts, ref_len_method="sacrebleu")["bleu"] for texts in systems.values()]


def _fastchrf(module: Any, reference: list[str], systems: Texts) -> list[float]:
    """Means of segment scores, since the package has no score of a corpus."""
    batches = [list(texts) for texts in zip(*systems.values(), strict=True)]
    scores = module.pairwise_chrf(batches, [[text] for text in reference])
    return [sum(row[k][0] for row in scores) / len(scores) for k in range(len(systems))]


def _torchmetrics(function: str, options: Mapping[str, object], module: Any, reference: list[str], systems: Texts) -> list[float]:
    score, references = getattr(module, function), [[text] for text in reference]
    return [100 * float(score(texts, references, **options)) for texts in systems.values()]


TORCH: Final = "torchmetrics.functional.text"
# Metric, package, module, and work.
RIVALS: Final[tuple[tuple[str, str, str, Callable[..., list[float]]], ...]] = (
    ("bleu", "bleuscore", "bleuscore", _bleuscore),
    ("chrf", "fastchrf", "fastchrf", _fastchrf),
    ("bleu", "torchmetrics", TORCH, partial(_torchmetrics, "sacre_bleu_score", {})),
    ("chrf", "torchmetrics", TORCH, partial(_torchmetrics, "chrf_score", {"n_word_order": 0})),
    ("chrf++", "torchmetrics", TORCH, partial(_torchmetrics, "chrf_score", {})),
    ("ter", "torchmetrics", TORCH, partial(_torchmetrics, "translation_edit_rate", {})),
)


def rivals_in(folder: Path | None) -> dict[str, dict[str, Work]]:
    """Work of the packages in the folder, by metric, then by package with its version; packages that fail to import are left out."""
    works: dict[str, dict[str, Work]] = {}
    if folder is None:
        return works
    sys.path.append(str(folder))
    for metric, package, module, work in RIVALS:
        try:
            works.setdefault(metric, {})[f"{package} {version(package)}"] = partial(work, import_module(module))
        except ImportError as error:
            print(f"without {package}: {error}")
    return works
