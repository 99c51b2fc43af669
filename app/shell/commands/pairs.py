"""`assay pair`: language pairs of one's own."""

import typer

from app.errors import InputError
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.here import data_settings, settings_here
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
    settings = data_settings()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
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
            options.topics,
        ),
    )


def list_pairs(options: PairListOptions) -> None:
    """List your own pairs, with their segments and the models trained on them."""
    rows = [
        {"pair": str(own_pair.pair), "segments": own_pair.segments, "models": list(own_pair.models)}
        for own_pair in own_pairs(settings_here())
    ]
    if options.form is Format.JSON:
        print_json({"pairs": rows})
    else:
        print_rows(rows, options.form, ("pair", "segments", "models"))


def remove(options: PairRemoveOptions) -> None:
    """Remove a pair of `assay pair add` with its models. Shipped pairs and models of `assay train` stay."""
    name = options.name
    # Pairs of single steps may have regions in their names.
    pairs_by_name = {own_pair.pair: own_pair for own_pair in own_pairs(settings_here())}
    pair = parsed_pair if (parsed_pair := LanguagePair.parse(name)) in pairs_by_name else _pair(name)
    pair_files = pairs_by_name.get(pair)
    if pair_files is None:
        raise InputError("unknown-language-pair", f"{pair} was not made here; assay pair list shows what was", ("PAIR",))
    if not options.yes:
        typer.confirm(f"Remove {pair} and {counted(len(pair_files.pair_models), 'model')}?", abort=True)
    settings = settings_here()
    for folder in remove_pair(settings, pair_files):
        say(f"removed {folder}")
    for name in pair_files.trained:
        say(f"kept {settings.trained_models_dir / name}, which was trained with it: it answers for {pair} where that is loaded")
