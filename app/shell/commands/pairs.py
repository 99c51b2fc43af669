"""`assay pair`: language pairs of one's own."""

from typing import Annotated

import typer

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import Format, counted, print_json, print_rows, say
from app.shell.own_pair.adding import Wish, add_pair
from app.shell.own_pair.folders import own_pairs, remove_pair
from app.shell.parameters import Classes, Form, HigherIsBetter, LowerIsBetter, Range, Unit, refuse
from app.shell.scales import ScaleOptions
from app.text import LanguagePair
from app.text.languages import base_language

__all__ = ["commands"]

HELP = "Make a language pair of one's own from what people have; list and remove such pairs."
pair = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode=None)
commands = typer.Typer(rich_markup_mode=None)
commands.add_typer(pair, name="pair")
Name = Annotated[str, typer.Argument(metavar="PAIR", help="Language pair, as en-fr.")]


def _pair(name: str) -> LanguagePair:
    """The pair of two languages, whatever regions and scripts are named too: it answers for all of them."""
    tags = LanguagePair.parse(name)
    return LanguagePair(base_language(tags.source), base_language(tags.target))


@pair.command()
def add(
    name: Name,
    texts: Annotated[
        list[str],
        typer.Argument(help="A translation memory or table with both languages (TMX, XLIFF, TSV, CSV, ...), or two text files."),
    ],
    labels: Annotated[
        str | None, typer.Option(help="Table (TSV, CSV) of source, translation, and a score or post_edit, of other segments.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="What the scores are, as hter or da, where their heading does not say it.")
    ] = None,
    label_column: Annotated[str | None, typer.Option(help="Heading of the scores; one that names a label otherwise.")] = None,
    higher_is_better: HigherIsBetter = False,
    lower_is_better: LowerIsBetter = False,
    bounds: Range = None,
    classes: Classes = None,
    unit: Unit = None,
    licence: Annotated[str, typer.Option(help="Licence of the text, for manifests and cards.")] = "private",
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of what was made of this pair before.")] = False,
) -> None:
    """Make resources, and with labels a predictor and a word tagger, and say what accuracy to expect."""
    scale = ScaleOptions(higher_is_better, lower_is_better, bounds, classes, unit)
    if labels is None:
        of_labels = {
            "--label": label, "--label-column": label_column, "--higher-is-better": higher_is_better,
            "--lower-is-better": lower_is_better, "--range": bounds, "--classes": classes, "--unit": unit,
        }  # fmt: skip
        refuse(of_labels, "this is about a table of labels; name one by --labels")
    settings = settings_here()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    add_pair(settings, Wish(_pair(name), tuple(texts), labels, label, label_column, licence, replace, scale))


@pair.command("list")
def list_pairs(form: Form = Format.TEXT) -> None:
    """Show the pairs that were made here, and what learned from them."""
    rows = [{"pair": str(own.pair), "segments": own.segments, "models": list(own.models)} for own in own_pairs(settings_here())]
    if form is Format.JSON:
        print_json({"pairs": rows})
    else:
        print_rows(rows, form, ("pair", "segments", "models"))


@pair.command()
def remove(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a pair that was made here, with the models that were made of it; what ships stays, and what assay train made."""
    # What the steps make one by one may be called with regions.
    made = {own.pair: own for own in own_pairs(settings_here())}
    wanted = named if (named := LanguagePair.parse(name)) in made else _pair(name)
    own = made.get(wanted)
    if own is None:
        raise InputError("unknown-language-pair", f"{wanted} was not made here; assay pair list shows what was", ("PAIR",))
    if not yes:
        typer.confirm(f"Remove {wanted} and {counted(len(own.made), 'model')}?", abort=True)
    settings = settings_here()
    for folder in remove_pair(settings, own):
        say(f"removed {folder}")
    for name in own.trained:
        say(f"kept {settings.trained_models_dir / name}, which was trained with it: it answers for {wanted} where that is loaded")
