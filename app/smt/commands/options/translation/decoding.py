"""Options of `assay smt decode`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import REQUIREMENT, InFile, OutFile

__all__ = ["DecodeOptions"]

constraint = partial(option, panel="Constraints and oracles")


@declare(server=True, style="app.smt.commands.translation.moses_flags:MosesCommand")
@dataclass(frozen=True, kw_only=True)
class DecodeOptions:
    """Options of `assay smt decode`."""

    config: Annotated[Path, option(help="moses.ini of the system."), InFile()]
    text: Annotated[str, argument(help="Tokenised text, one sentence per line; - is stdin."), InFile(), REQUIREMENT] = "-"
    lattice: Annotated[bool, option("--lattice", help="Read word lattices, one per line, in Moses' form PLF.")] = False
    n_best: Annotated[
        tuple[Path, int] | None, option(metavar="FILE N", help="Output: N best derivations of each sentence."), OutFile(first=True)
    ] = None
    distinct: Annotated[bool, option("--distinct", help="N best different translations.")] = False
    stack: Annotated[int | None, option(help="Hypotheses per stack; default: as configured.")] = None
    distortion_limit: Annotated[int | None, option(help="Longest jump in words, -1 for any.")] = None
    beam_threshold: Annotated[float | None, option(help="Share of the best hypothesis's probability; 0 for none.")] = None
    threads: Annotated[int, option(min=1, max=64, help="Threads; the output does not depend on them.")] = 1
    segmentation: Annotated[bool, option("--segmentation", help="Print the source span behind each phrase.")] = False
    needed: Annotated[Path | None, constraint(help="Forced decoding: translations to reach, one per line."), InFile()] = None
    needed_begin: Annotated[Path | None, constraint(help="Beginnings of translations, one per line."), InFile()] = None
    oracle: Annotated[
        list[Path] | None, constraint(help="Print the derivation closest to this reference. Repeatable."), InFile()
    ] = None
    xml_input: Annotated[
        Literal["pass-through", "exclusive", "inclusive", "constraint", "ignore"],
        option(help="Use of translations in markup, as in Moses."),
    ] = "pass-through"
    weight_file: Annotated[Path | None, option(help="Weights of sparse features, instead of the configured file."), InFile()] = None
    sentence_weights: Annotated[
        Path | None, option(help="Weights of every sentence, of assay nbest tune-local --out."), InFile()
    ] = None
    trace: Annotated[Path | None, option(help="Output: phrases of each translation, as JSON lines."), OutFile()] = None
    search_graph: Annotated[Path | None, option(help="Output: the search graph, in Moses' form."), OutFile()] = None
    mbr: Annotated[bool, option("--mbr", help="Print the translation with the least Bayes risk, by BLEU.")] = False
    lattice_mbr: Annotated[bool, option("--lattice-mbr", help="Least Bayes risk over all derivations, by n-gram posteriors.")] = (
        False
    )
    mbr_size: Annotated[int | None, option(help="Translations for --mbr and --lattice-mbr; default 200.")] = None
    mbr_scale: Annotated[float | None, option(help="Scale of scores for --mbr and --lattice-mbr; default 1.")] = None
    mbr_precision: Annotated[float | None, option(help="Precision of words for --lattice-mbr; default 0.8.")] = None
    mbr_ratio: Annotated[float | None, option(help="Ratio of n-gram precisions for --lattice-mbr; default 0.6.")] = None
