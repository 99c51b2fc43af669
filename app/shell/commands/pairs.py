"""`assay pair`: language pairs of one's own."""

import typer

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.here import settings_here
from app.shell.options.pairs import PairAddOptions, PairListOptions, PairRemoveOptions
from app.shell.output import counted, print_json, print_rows, say
from app.shell.own_pair.adding import Wish, add_pair
from app.shell.own_pair.folders import own_pairs, remove_pair
from app.shell.scales import ScaleOptions
from app.text import LanguagePair
from app.text.languages import base_language

__all__ = ["add", "list_pairs", "remove"]

HELP = "Make a language pair of one's own from what people have; list and remove such pairs."


def _pair(name: str) -> LanguagePair:
    """The pair of two languages, whatever regions and scripts are named too: it answers for all of them."""
    tags = LanguagePair.parse(name)
    return LanguagePair(base_language(tags.source), base_language(tags.target))


def add(options: PairAddOptions) -> None:
    """Make resources, and with labels a predictor and a word tagger, and say what accuracy to expect."""
    scale = ScaleOptions(options.higher_is_better, options.lower_is_better, options.bounds, options.classes, options.unit)
    if options.labels is None:
        of_labels = {
            "--label": options.label,
            "--label-column": options.label_column,
            "--higher-is-better": options.higher_is_better,
            "--lower-is-better": options.lower_is_better,
            "--range": options.bounds,
            "--classes": options.classes,
            "--unit": options.unit,
        }
        refuse(of_labels, "this is about a table of labels; name one by --labels")
    settings = settings_here()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    add_pair(
        settings,
        Wish(
            _pair(options.name),
            tuple(options.texts),
            options.labels,
            options.label,
            options.label_column,
            options.licence,
            options.replace,
            scale,
        ),
    )


def list_pairs(options: PairListOptions) -> None:
    """Show the pairs that were made here, and what learned from them."""
    rows = [{"pair": str(own.pair), "segments": own.segments, "models": list(own.models)} for own in own_pairs(settings_here())]
    if options.form is Format.JSON:
        print_json({"pairs": rows})
    else:
        print_rows(rows, options.form, ("pair", "segments", "models"))


def remove(options: PairRemoveOptions) -> None:
    """Remove a pair that was made here, with the models that were made of it; what ships stays, and what assay train made."""
    name = options.name
    # What the steps make one by one may be called with regions.
    made = {own.pair: own for own in own_pairs(settings_here())}
    wanted = named if (named := LanguagePair.parse(name)) in made else _pair(name)
    own = made.get(wanted)
    if own is None:
        raise InputError("unknown-language-pair", f"{wanted} was not made here; assay pair list shows what was", ("PAIR",))
    if not options.yes:
        typer.confirm(f"Remove {wanted} and {counted(len(own.made), 'model')}?", abort=True)
    settings = settings_here()
    for folder in remove_pair(settings, own):
        say(f"removed {folder}")
    for name in own.trained:
        say(f"kept {settings.trained_models_dir / name}, which was trained with it: it answers for {wanted} where that is loaded")
