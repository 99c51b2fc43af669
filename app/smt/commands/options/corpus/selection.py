"""Options of `assay corpus select`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import ALIGNERS, LANGUAGE_MODELS, LOCAL_MACHINE, PLAIN_TEXT, InFile, OutFile, Replacing
from app.shell.declaration.parameters import Label, Model, number
from app.shell.options.large_tables import LargeTableOptions

__all__ = ["CorpusSelectOptions"]

material = partial(option, panel="Data of methods")


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class CorpusSelectOptions(LargeTableOptions, Replacing):
    """Options of `assay corpus select`."""

    source: Annotated[str, argument(help="Source text, words between blanks; FILE:COLUMN, gzip."), InFile()]
    target: Annotated[str, argument(help="Target text."), InFile()]
    method: Annotated[
        str, option("--method", "-m", help="random, length, moore-lewis, ibm1, cynical, la, quality ...; see docs."), PLAIN_TEXT
    ]
    pairs: Annotated[int | None, option(min=1, help="Most pairs to choose.")] = None
    words: Annotated[int | None, option(min=1, help="Choose pairs up to this number of source words.")] = None
    share: Annotated[float | None, number(about="Largest share of pairs to choose.", low=0, high=1, shares=True)] = None
    at_least: Annotated[float | None, number(about="Least score of chosen pairs.")] = None
    strict: Annotated[bool, option("--strict", help="Skip pairs that would exceed --words.")] = False
    out_source: Annotated[Path | None, option(help="Output: sources of chosen pairs, in text order."), OutFile()] = None
    out_target: Annotated[Path | None, option(help="Output: their targets."), OutFile()] = None
    out_table: Annotated[Path | None, option(help="Output: chosen pairs as a table, .tsv or .parquet."), OutFile()] = None
    out_links: Annotated[Path | None, option(help="Output: their lines of --links."), OutFile()] = None
    scores: Annotated[Path | None, option(help="Output: score of each pair; higher is better."), OutFile()] = None
    verdicts: Annotated[
        Path | None, option(help="People's verdicts, good or bad per pair: print thresholds for --at-least."), InFile()
    ] = None
    links: Annotated[Path | None, option(help="Word links, as 0-0 1-2."), InFile()] = None
    in_source: Annotated[Path | None, material(help="In-domain source text."), InFile()] = None
    in_target: Annotated[Path | None, material(help="In-domain target text."), InFile()] = None
    general_source: Annotated[Path | None, material(help="General source text; default: a sample of the text."), InFile()] = None
    general_target: Annotated[Path | None, material(help="General target text."), InFile()] = None
    lm_source: Annotated[Path | None, material(help="Source language model, any KenLM file."), InFile(makers=LANGUAGE_MODELS)] = (
        None
    )
    lm_target: Annotated[Path | None, material(help="Target language model."), InFile(makers=LANGUAGE_MODELS)] = None
    train_source: Annotated[Path | None, material(help="Source text to train ibm1 on; default: a sample."), InFile()] = None
    train_target: Annotated[Path | None, material(help="Target text to train ibm1 on."), InFile()] = None
    aligner: Annotated[Path | None, material(help="Aligner, saved by assay resources align."), InFile(makers=ALIGNERS)] = None
    score_file: Annotated[Path | None, material("--given", help="Scores from elsewhere, a number per line."), InFile()] = None
    in_links: Annotated[Path | None, material(help="Word links of the in-domain text."), InFile()] = None
    function_words: Annotated[
        str | None,
        material(help="Function words of the target: a file, or a language, as en."),
        InFile(shipped=True),
        LOCAL_MACHINE,
    ] = None
    n_best: Annotated[Path | None, material(help="N-best lists of the sources, with features."), InFile()] = None
    wanted_n_best: Annotated[Path | None, material(help="N-best lists of the text to translate."), InFile()] = None
    pair: Annotated[str | None, material(help="Language pair of the method quality, as en-de."), LOCAL_MACHINE] = None
    model: Annotated[Model, LOCAL_MACHINE] = None
    label: Annotated[Label, LOCAL_MACHINE] = None
    diversity: Annotated[
        float | None,
        number(about="Skip sources this similar (BLEU) to a recent choice; 1 is off.", panel="Choice", low=0, high=1, shares=True),
    ] = None
    untranslated: Annotated[
        float | None,
        number(about="Skip pairs with sides this similar (BLEU); 1 is off.", panel="Choice", low=0, high=1, shares=True),
    ] = None
    window: Annotated[int, option(min=1, max=100000, help="Recent sources that --diversity compares with.", panel="Choice")] = 200
    decisions: Annotated[Path | None, option(help="Output: decision per pair.", panel="Choice"), OutFile()] = None
    features: Annotated[Path | None, option(help="Output: features of the method la, as a table.", panel="Choice"), OutFile()] = (
        None
    )
    domains: Annotated[Path | None, option(help="Domain file, as 45 news, of the text.", panel="Choice"), InFile()] = None
    judged_domain: Annotated[
        list[str] | None, option(help="Domain to judge; other pairs are always chosen. Repeatable.", panel="Choice"), PLAIN_TEXT
    ] = None
    mark: Annotated[float | None, number(about="Score of pairs that are always chosen, as 99999.", panel="Choice")] = None
    out_domains: Annotated[Path | None, option(help="Output: domain file of the chosen pairs.", panel="Choice"), OutFile()] = None
    best_first: Annotated[bool, option("--best-first", help="Write the best pair first.")] = False
