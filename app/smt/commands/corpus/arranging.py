"""`assay corpus concatenate`, `slice`, `split` and `sort`: lines of files side by side, in other order or number."""

from collections.abc import Sequence
from pathlib import Path

from app.errors import InputError
from app.shell.output import counted, say
from app.smt.commands.options.corpus.arranging import ConcatenateOptions, SliceOptions, SortOptions, SplitOptions
from app.smt.corpus.arranging import Division, concatenate, cut, divide, sort_by_scores

__all__ = ["concatenate_files", "slice_files", "sort_files", "split_files"]


def concatenate_files(options: ConcatenateOptions) -> None:
    """Write the lines of several files one after the other."""
    say(f"wrote {counted(concatenate(options.files, options.out), 'line')}")


def slice_files(options: SliceOptions) -> None:
    """Write some lines of files side by side: the first, the last, those between, each tenth."""
    _check_count("--out", options.out, len(options.files))
    say(f"wrote {counted(cut(options.files, options.out, options.start, options.stop, options.step), 'line')}")


def split_files(options: SplitOptions) -> None:
    """Divide files side by side in two, as into text to train on and text to measure on."""
    _check_count("--out", options.out, len(options.files))
    if options.rest:
        _check_count("--rest", options.rest, len(options.files))
    count, rest_count = divide(options.files, options.out, options.rest or [], Division(options.lines, options.share, options.seed))
    say(f"wrote {counted(count, 'line')}, and {'' if options.rest else 'left out '}{counted(rest_count, 'other')}")


def sort_files(options: SortOptions) -> None:
    """Sort lines of files side by side by their scores."""
    _check_count("--out", options.out, len(options.files))
    say(f"wrote {counted(sort_by_scores(options.files, options.by, options.out, options.best_first), 'line')}")


def _check_count(option: str, outputs: Sequence[Path], count: int) -> None:
    """InputError unless each input file has an output."""
    if len(outputs) != count:
        detail = f"there are {counted(count, 'file')} to read and {len(outputs)} to write; name one for each"
        raise InputError("invalid-request", detail, (option,))
