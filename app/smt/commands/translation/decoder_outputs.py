"""Checks of outputs before decoding, and limits of the search."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.shell.declaration.files import check_file
from app.shell.declaration.parameters import refuse
from app.smt.commands.options.translation.decoding import DecodeOptions
from app.smt.commands.options.translation.systems import SmtTranslateOptions
from app.smt.decoder.graphs.agreement import SentenceMbr
from app.smt.decoder.graphs.lattice_agreement import LatticeMbr
from app.smt.decoder.moses_ini import MosesIni, SearchLimits

__all__ = ["agreement_of", "check_list_length", "check_outputs", "files_of", "limits_of"]

# Nobody reads more derivations of a sentence, and they need much memory.
MOST_DERIVATIONS: Final = 100_000


def check_list_length(count: int) -> None:
    """InputError for a length outside the limits."""
    if not 1 <= count <= MOST_DERIVATIONS:
        raise InputError("invalid-request", f"--n-best takes 1 to {MOST_DERIVATIONS:,} derivations", ("--n-best",))


def files_of(ini: MosesIni) -> list[Path]:
    """Tables and models that a configuration names."""
    return [*ini.files.values(), *([ini.weight_file] if ini.weight_file else [])]


def limits_of(
    limits: SearchLimits, options: DecodeOptions | SmtTranslateOptions, beam_threshold: float | None = None
) -> SearchLimits:
    """Limits of a configuration, with those that options set."""
    stack, distortion = options.stack, options.distortion_limit
    return replace(
        limits,
        stack=limits.stack if stack is None else stack,
        distortion=limits.distortion if distortion is None else distortion,
        threshold=limits.threshold if beam_threshold is None else beam_threshold,
    )


def agreement_of(options: DecodeOptions) -> SentenceMbr | LatticeMbr | None:
    """The choice by minimum Bayes risk, if options ask for it; InputError for one of its options without it, or for both kinds."""
    if options.mbr and options.lattice_mbr:
        raise InputError("invalid-request", "take one of --mbr and --lattice-mbr")
    numbers = {"size": options.mbr_size, "scale": options.mbr_scale}
    factors = {"precision": options.mbr_precision, "ratio": options.mbr_ratio}
    if not options.lattice_mbr:
        refuse({f"--mbr-{name}": value is not None for name, value in factors.items()}, "it is an option of --lattice-mbr")
    if not (options.mbr or options.lattice_mbr):
        refuse(
            {f"--mbr-{name}": value is not None for name, value in numbers.items()}, "these are options of --mbr and --lattice-mbr"
        )
        return None
    settings = {name: value for name, value in (numbers | factors).items() if value is not None}
    return LatticeMbr(**settings) if options.lattice_mbr else SentenceMbr(**settings)  # type: ignore[arg-type]


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path]) -> None:
    """InputError for an output, by its option, that cannot be written, or that is an input or a further output."""
    read = {path.resolve() for path in inputs}
    written_places: set[Path] = set()
    for option, path in outputs.items():
        if path is None:
            continue
        check_file(path, option)
        place = path.resolve()
        if place in read | written_places:
            verb = "is read" if place in read else "is written already"
            raise InputError("invalid-request", f"{path} {verb}; name another file", (option,))
        written_places.add(place)
