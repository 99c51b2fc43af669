"""`assay resources lm`, `tagger`, `grammar` and `names`: making resources from text."""

from pathlib import Path

from app.building.building import build_language_resources
from app.building.grammars import build_grammar
from app.building.named_entities import build_names
from app.building.tagging import build_tagger
from app.errors import InputError
from app.shell.declaration.files import check_folder
from app.shell.here import data_settings
from app.shell.options.resources.building import GrammarOptions, LmOptions, NamesOptions, TaggerOptions
from app.shell.output import counted, say
from app.text.language_tags import canonical_language

__all__ = ["grammar", "lm", "names", "tagger"]


def lm(options: LmOptions) -> None:
    """Estimate a language model and count n-grams."""
    language = options.language
    language = canonical_language(language)
    if options.tokenised and options.out is None:
        raise InputError("invalid-request", "features ask for other words: name a folder of its own by --out", ("--tokenised",))
    if options.lowercase and not options.tokenised:
        raise InputError("invalid-request", "words for features are lower-cased as they are", ("--lowercase",))
    folder = options.out or data_settings().own_resources_dir / language
    _check(options.texts)
    check_folder(folder, "--out")
    build_language_resources(
        language,
        options.texts,
        folder,
        options.order,
        options.licence,
        options.arpa,
        options.replace,
        options.tokenised,
        options.lowercase,
    )
    say(f"wrote {folder}")


def tagger(options: TaggerOptions) -> None:
    """Train taggers and parsers on a treebank, and a language model of its tags."""
    language = options.language
    language = canonical_language(language)
    for name in ("train.conllu.gz", "test.conllu.gz"):
        if not (options.treebank / name).is_file():
            raise InputError("invalid-request", f"{options.treebank} holds no {name}")
    folder = options.out or data_settings().own_resources_dir / language / "tagger"
    check_folder(folder, "--out")
    build_tagger(language, options.treebank, folder, options.words, options.replace)
    say(f"wrote {folder}")


def grammar(options: GrammarOptions) -> None:
    """Induce a grammar from a treebank in brackets."""
    language = canonical_language(options.language)
    folder = options.out or data_settings().own_resources_dir / language / "grammar"
    _check(list(map(str, options.treebanks)))
    check_folder(folder, "--out")
    trees = build_grammar(language, options.treebanks, folder, options.licence, options.replace)
    say(f"wrote {folder}, a grammar of {counted(trees, 'tree')}")


def names(options: NamesOptions) -> None:
    """Train a tagger of named entities."""
    language = canonical_language(options.language)
    folder = options.out or data_settings().own_resources_dir / language / "names"
    _check(list(map(str, [*options.train, options.test])))
    check_folder(folder, "--out")
    if any(path.samefile(options.test) for path in options.train):
        raise InputError("invalid-request", f"{options.test} is training data too; measure on other text", ("--test",))
    f1 = build_names(language, options.train, options.test, folder, options.licence, options.replace)
    say(f"wrote {folder}; F1 of names on {options.test} is {f1:.3f}")


def _check(specs: list[str]) -> None:
    for spec in specs:
        if not Path(spec).is_file() and not Path(spec.rpartition(":")[0]).is_file():
            raise InputError("invalid-request", f"{spec} is neither a file nor FILE:COLUMN")
