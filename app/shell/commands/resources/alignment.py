"""`assay align`: links of words, an aligner that is kept, or lexical tables."""

from pathlib import Path
from typing import Annotated

import typer

from app.building.alignment.files import STANDARD_OUTPUT, Outputs, align_files, symmetrise_files
from app.building.alignment.symmetrisation import DEFAULT_SYMMETRISATION, SYMMETRISATIONS
from app.building.building import build_pair_resources
from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import check_file, check_folder, counted, say
from app.text import LanguagePair

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def align(
    source: Annotated[
        str | None, typer.Argument(help="Source text, words with blanks between them; FILE:COLUMN for tables.")
    ] = None,
    target: Annotated[str | None, typer.Argument(help="Target text, line by line.")] = None,
    links: Annotated[
        Path | None, typer.Option(help="Write symmetrised links, a line 0-0 1-2 a segment; - is standard output.")
    ] = None,
    forward: Annotated[Path | None, typer.Option(help="Write links of each target word to at most one source word.")] = None,
    reverse: Annotated[Path | None, typer.Option(help="Write links of each source word to at most one target word.")] = None,
    scores: Annotated[
        Path | None, typer.Option(help="Write the log-probability of a word, by segment, in both directions.")
    ] = None,
    heuristic: Annotated[
        str, typer.Option(help=f"How directions become one: {', '.join(SYMMETRISATIONS)}.")
    ] = DEFAULT_SYMMETRISATION,
    save: Annotated[Path | None, typer.Option(help="Write the trained aligner.")] = None,
    model: Annotated[Path | None, typer.Option(help="Align by a saved aligner, and train none.")] = None,
    symmetrise: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Symmetrise two files of links instead, forward and reverse.")
    ] = None,
    pair: Annotated[str | None, typer.Option(help="Write lexical tables for this language pair instead, as ro-en.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of lexical tables; resources/PAIR of the data folder otherwise.")] = None,
    licence: Annotated[str, typer.Option(help="Licence of the text, for the manifest of lexical tables.")] = "unknown",
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Align words: write links, scores and a saved aligner, or lexical tables in both directions."""
    outputs = Outputs(links, forward, reverse, scores)
    if heuristic not in SYMMETRISATIONS:
        meant = ": intersect is meant" if heuristic == "intersection" else ""
        raise InputError("invalid-request", f"links are symmetrised by {', '.join(SYMMETRISATIONS)}{meant}", ("--heuristic",))
    if symmetrise is not None:
        others = (source, target, forward, reverse, scores, save, model, pair, out)
        if links is None or any(option is not None for option in others):
            raise InputError(
                "invalid-request", "this takes two files of links, and --links and --heuristic alone", ("--symmetrise",)
            )
        _check(outputs, None, replace)
        say(f"symmetrised links of {counted(symmetrise_files(*symmetrise, links, heuristic), 'segment')}")
        return
    if source is None or target is None:
        detail = "SOURCE and TARGET are needed, or --symmetrise; a file of fast_align's, SOURCE ||| TARGET, is to be cut in two"
        raise InputError("invalid-request", detail)
    if pair is not None:
        _tables(source, target, pair, out, licence, replace, bool(outputs.files or save or model))
        return
    if out is not None:
        raise InputError("invalid-request", "this is the folder of lexical tables, which need --pair", ("--out",))
    if not outputs.files and save is None:
        raise InputError("invalid-request", "say what to write: --links, --forward, --reverse, --scores, --save; or --pair")
    if save is not None and model is not None:
        raise InputError("invalid-request", "a saved aligner is not trained again; leave out --save or --model", ("--save",))
    _check(outputs, save, replace)
    count = align_files(Path(source), Path(target), outputs, heuristic, model, save)
    say(f"aligned {counted(count, 'segment')}")


def _check(outputs: Outputs, save: Path | None, replace: bool) -> None:
    """Before hours of work: whether all can be written, each in a place of its own."""
    files = {**outputs.files, **({} if save is None else {"save": save})}
    if len(set(files.values())) < len(files):
        raise InputError("invalid-request", "two of the files to write are the same")
    for name, path in files.items():
        if path == STANDARD_OUTPUT and name != "save":
            continue
        check_file(path, f"--{name}")
        if path.exists() and not replace:
            raise InputError("invalid-request", f"{path} is there already; --replace writes another in its place", ("--replace",))


def _tables(source: str, target: str, pair: str, out: Path | None, licence: str, replace: bool, more: bool) -> None:
    if more:
        detail = "lexical tables are of the words that the language's rules find, links of those between blanks; leave one out"
        raise InputError("invalid-request", detail, ("--pair",))
    wanted = LanguagePair.parse(pair)
    folder = out or settings_here().own_resources_dir / wanted.hyphenated
    for spec in (source, target):
        if not Path(spec).is_file() and not Path(spec.rpartition(":")[0]).is_file():
            raise InputError("invalid-request", f"{spec} is neither a file nor FILE:COLUMN")
    check_folder(folder, "--out")
    build_pair_resources(wanted, source, target, folder, licence, replace)
    say(f"wrote {folder}")
