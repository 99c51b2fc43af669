"""`assay smt prune-table`: phrase tables without what may well be chance."""

from app.errors import InputError
from app.planning.numerals import decimal_of
from app.shell.output import counted, say
from app.smt.commands.options.corpus.pruning import PruneTableOptions
from app.smt.corpus.phrases.pruning import SIGNS, Threshold, prune_table

__all__ = ["prune"]


def prune(options: PruneTableOptions) -> None:
    """Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test."""
    pruning = prune_table(options.table, options.source, options.target, options.out, _threshold(options.threshold))
    say(
        f"wrote {pruning.lines} of {counted(pruning.pairs, 'phrase pair')}, with -ln p of at least {pruning.threshold:.4f}; "
        f"{pruning.singletons} of all occur in one sentence pair alone, and so do their phrases"
    )


def _threshold(text: str) -> float | Threshold:
    if text in SIGNS:
        return text  # type: ignore[return-value]
    number = decimal_of(text)
    if number is None or number < 0:
        raise InputError("invalid-request", f"this is {', '.join(SIGNS)} or a number from 0", ("--threshold",))
    return number
