"""`assay resources import-lm` and `import-lexical`: what other programs made, as resources of one's own."""

from pathlib import Path

from app.building.importing.folders import ImportResult, import_language, import_pair
from app.building.importing.translations import ConditionColumn
from app.shell.declaration.files import check_folder
from app.shell.here import data_settings
from app.shell.options.resources.importing import ImportLexicalOptions, ImportLmOptions
from app.shell.output import say
from app.text.language_tags import canonical_language
from app.text.languages import LanguagePair

__all__ = ["import_lexical", "import_lm"]


def import_lm(options: ImportLmOptions) -> None:
    """Import a language model and counts of n-grams that other programs made."""
    language = options.language
    language = canonical_language(language)
    folder = options.out or data_settings().own_resources_dir / language
    check_folder(folder, "--out")
    _report_import(import_language(language, options.model, options.counts, folder, options.licence, options.replace), folder)


def import_lexical(options: ImportLexicalOptions) -> None:
    """Import lexical tables of GIZA++ or Moses, in both directions."""
    pair = LanguagePair.parse(options.pair)
    folder = options.out or data_settings().own_resources_dir / pair.file_name
    check_folder(folder, "--out")
    _report_import(
        import_pair(
            pair,
            options.forward,
            options.backward,
            folder,
            options.given and ConditionColumn(options.given),
            options.vocabularies,
            options.licence,
            options.replace,
        ),
        folder,
    )


def _report_import(tables: ImportResult, folder: Path) -> None:
    for caution in tables.cautions:
        say(f"caution: {caution}")
    say(f"wrote {folder}")
