"""`assay corpus mine`, `take-translations` and `translate-unknown`: more text for a system, and words that it did not know."""

from app.resources.language_models import open_language_model
from app.shell.output import counted, say
from app.smt.commands.options.corpus.harvest import MineOptions, TakeTranslationsOptions, TranslateUnknownOptions
from app.smt.corpus.harvest.automatic import take_translations
from app.smt.corpus.harvest.comparable import MiningLimits, mine_files
from app.smt.corpus.harvest.unknown_words import StemDictionary, translate_unknown

__all__ = ["mine", "take", "unknown"]


def mine(options: MineOptions) -> None:
    """Find pairs of sentences in comparable texts: retrieval by automatic translations, then TER."""
    pairs = mine_files(
        options.source,
        options.translations,
        options.target,
        options.out,
        MiningLimits(options.candidates, options.ter, options.ratio, options.numbers, options.days),
        options.dates,
        options.replace,
    )
    say(f"wrote {counted(len(pairs), 'pair')} to {options.out}")


def take(options: TakeTranslationsOptions) -> None:
    """Take automatic translations that a decoder was sure of as parallel text, with its links of words."""
    counts = take_translations(options.source, options.lists, options.out, options.most_cost, options.replace)
    say(f"took {counts.pairs} of {counted(counts.sentences, 'sentence')}")


def unknown(options: TranslateUnknownOptions) -> None:
    """Translate words that a system left as they are, by their stems and a dictionary of the phrase table."""
    dictionary = StemDictionary.read(options.table, options.language, options.candidates)
    lines, words = translate_unknown(options.source, options.output, dictionary, open_language_model(options.lm), options.out)
    say(f"translated {counted(words, 'word')} in {counted(lines, 'line')}")
