"""Options of sacreBLEU and comet-score that `assay score` does not have, refused with the command that does the work."""

import shlex
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.metrics.lexical.bleu import SMOOTHINGS
from app.shell.options.scoring import ScoreOptions

__all__ = ["refuse_foreign"]

# Metric of the suggested command, for a command without --metrics.
NEURAL: Final = "neural:NAME"


def refuse_foreign(options: ScoreOptions) -> None:
    """InputError for a test set, for comet-score's translations (-t), and for a source file behind sacreBLEU's -s."""
    if options.test_set:
        raise InputError("invalid-request", _of_translations(options) or _of_test_set(options), ("--test-set",))
    smooth = options.smooth_method
    if smooth is not None and smooth.partition("[")[0] not in SMOOTHINGS and Path(smooth).exists():
        raise InputError(
            "invalid-request", "-s is BLEU's smoothing, as in sacreBLEU; a source file is --source", ("--smooth-method",)
        )


def _of_translations(options: ScoreOptions) -> str | None:
    """The command for comet-score's ``-s SOURCE -t TRANSLATIONS -r REFERENCE``; None if -t names no file."""
    files = options.test_set or ()
    if not any(Path(file).exists() for file in files):
        return None
    source = options.source or options.smooth_method
    references = options.references or options.first or ()
    words = ["assay", "score", *(("-r", *references) if references else ()), "-i", *files]
    words += [*(("--source", source) if source else ()), "-m", *(options.metrics or (NEURAL,))]
    return f"-t is sacreBLEU's test set; for comet-score's translations write: {shlex.join(words)}"


def _of_test_set(options: ScoreOptions) -> str:
    """The commands for a test set of sacreBLEU."""
    name, pair = (options.test_set or [""])[0], options.language_pair or "SOURCE-TARGET"
    fetch = shlex.join(["sacrebleu", "-t", name, "-l", pair, "--echo", "ref"])
    return (
        f"Assay downloads no test sets; save the reference with sacreBLEU ({fetch} > ref.txt), then: assay score ref.txt -i OUTPUT"
    )
