"""`assay filter`: parallel text without the pairs that break rules."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.building.gzip_files import check_read_again
from app.building.text_tables import check_table
from app.errors import InputError
from app.shell.output import check_file, counted, say
from app.shell.parameters import number
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.rules import Fault, Rules, Same, filter_pairs

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
USUAL = Rules()


class Equal(StrEnum):
    """By what pairs are equal."""

    BOTH = "both"
    SOURCE = "source"
    TARGET = "target"


REASONS = {
    Fault.WORDS: "with too few or too many words",
    Fault.RATIO: "of too different lengths",
    Fault.WORD: "with too long a word",
    Fault.COPY: "with the same text on both sides",
    Fault.LETTERS: "with too few letters",
    Fault.NUMBERS: "with other numbers on the other side",
    Fault.REPEATED: "that were there before",
    Fault.CHARACTERS: "with too few or too many characters",
    Fault.SCRIPT: "in other scripts",
    Fault.MARKUP: "with remains of HTML",
    Fault.PUNCTUATION: "with other marks at ends of sentences",
    Fault.LOOP: "with a stretch that is repeated at once",
    Fault.LANGUAGE: "in other languages",
    Fault.KNOWN: "that are in --not-in",
}


@commands.command("filter")
def filter_command(
    source: Annotated[Path, typer.Argument(help="Source text, a sentence a line; gzip is read; FILE:COLUMN of a table.")],
    target: Annotated[Path, typer.Argument(help="Target text.")],
    out_source: Annotated[Path | None, typer.Option(help="Write the sources of pairs that are kept, as they are.")] = None,
    out_target: Annotated[Path | None, typer.Option(help="Write their targets.")] = None,
    out_links: Annotated[Path | None, typer.Option(help="Write their lines of --links.")] = None,
    out_table: Annotated[
        Path | None, typer.Option(help="Write them as a table, .tsv or .parquet, with the columns source and target.")
    ] = None,
    decisions: Annotated[Path | None, typer.Option(help="Write what each pair broke, or kept, a word a line.")] = None,
    links: Annotated[Path | None, typer.Option(help="A further file with a line a pair, as links of words.")] = None,
    min_words: Annotated[int, typer.Option(min=1, help="Fewest words of a side, between blanks.")] = USUAL.fewest,
    max_words: Annotated[int, typer.Option(min=1, help="Most words of a side.")] = USUAL.most,
    max_ratio: Annotated[float, number(about="How many times as many words one side may have.", low=1)] = USUAL.ratio,
    max_word_length: Annotated[int | None, typer.Option(min=1, help="Most characters of a word.")] = None,
    min_letters: Annotated[float, number(about="Least share of letters on either side.", low=0, high=1, shares=True)] = 0.0,
    no_copies: Annotated[bool, typer.Option("--no-copies", help="Leave out pairs whose sides have the same words.")] = False,
    same_numbers: Annotated[bool, typer.Option("--same-numbers", help="Leave out pairs whose runs of digits differ.")] = False,
    min_characters: Annotated[int, typer.Option(min=0, help="Fewest characters of a side.")] = 0,
    max_characters: Annotated[int | None, typer.Option(min=1, help="Most characters of a side.")] = None,
    source_script: Annotated[str | None, typer.Option(help="Script of the source, as latin, cyrillic, han.")] = None,
    target_script: Annotated[str | None, typer.Option(help="Script of the target.")] = None,
    min_script: Annotated[float, number(about="Least share of letters of that script.", low=0, high=1, shares=True)] = 1.0,
    source_language: Annotated[
        str | None, typer.Option(help="Language of the source, as de; what is clearly in another is left out.")
    ] = None,
    target_language: Annotated[str | None, typer.Option(help="Language of the target.")] = None,
    no_markup: Annotated[bool, typer.Option("--no-markup", help="Leave out pairs with tags or entities of HTML.")] = False,
    min_punctuation: Annotated[
        float | None, number(about="How well marks at ends of sentences agree at least: 0 is best, -2 usual.", low=-1000, high=0)
    ] = None,
    max_repeats: Annotated[
        int | None, typer.Option(min=0, help="How often a stretch of 3 to 100 characters may stand again at once, at most.")
    ] = None,
    unique: Annotated[bool, typer.Option("--unique", help="Keep the first of equal pairs alone.")] = False,
    not_in: Annotated[
        list[Path] | None,
        typer.Option(help="Leave out the pairs of another text: its source, and then its target; repeat for more."),
    ] = None,
    same: Annotated[Equal, typer.Option(help="By what --unique and --not-in take pairs for equal.")] = Equal.BOTH,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Leave out of parallel text the pairs that break rules: lengths, scripts, languages, copies, numbers, repetitions, ..."""
    named = {"source": out_source, "target": out_target, "links": out_links, "decisions": decisions, "table": out_table}
    outputs = {name: path for name, path in named.items() if path is not None}
    if not outputs:
        raise InputError("invalid-request", "say what to write: --out-source, --out-target, --out-table, --decisions")
    if links is not None and out_links is None and out_table is None:
        raise InputError("invalid-request", "name where their lines go: --out-links or --out-table", ("--links",))
    if out_links is not None and links is None:
        raise InputError("invalid-request", "these are lines of --links", ("--out-links",))
    if len(set(outputs.values())) < len(outputs):
        raise InputError("invalid-request", "two of the files to write are the same")
    for name, path in outputs.items():
        check_file(path, "--decisions" if name == "decisions" else f"--out-{name}")
        if path.exists() and not replace:
            raise InputError("invalid-request", f"{path} is there already; --replace writes another in its place", ("--replace",))
    if out_table is not None:
        check_table(out_table, "--out-table")
    if len(not_in or ()) % 2:
        raise InputError("invalid-request", "name source and target of a text, each behind an option of its own", ("--not-in",))
    if same is not Equal.BOTH and not (unique or not_in):
        raise InputError("invalid-request", "this goes with --unique and --not-in", ("--same",))
    if min_script != 1 and not (source_script or target_script):
        raise InputError("invalid-request", "name a script: --source-script, --target-script", ("--min-script",))
    rules = Rules(
        min_words, max_words, max_ratio, max_word_length, min_letters, not no_copies, same_numbers, not unique,
        (min_characters, max_characters), (source_script, target_script), min_script, (source_language, target_language),
        not no_markup, min_punctuation, None if max_repeats is None else max_repeats + 1,
    )  # fmt: skip
    others = [Pool(one, other) for one, other in zip((not_in or [])[::2], (not_in or [])[1::2], strict=True)]
    if outputs.keys() - {"decisions"}:
        check_read_again([source, target, *([] if links is None else [links])])
    made = filter_pairs(Pool(source, target, links), rules, outputs, others, Same[same.name])
    say(f"kept {made.faults[Fault.KEPT]} of {counted(made.total, 'pair')}")
    for fault, reason in REASONS.items():
        if made.faults[fault]:
            say(f"left out {counted(made.faults[fault], 'pair')} {reason}")
