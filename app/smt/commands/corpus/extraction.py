"""`assay smt extract`: phrases out of word-aligned text."""

from app.shell.output import counted, say
from app.smt.commands.options.corpus.extraction import ExtractOptions
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel

__all__ = ["extract"]


def extract(options: ExtractOptions) -> None:
    """Extract the pairs of phrases that agree with links of words, as Moses' extract does."""
    models = [OrientationModel.parse(name) for name in options.orientation or ()]
    extraction = extract_phrases(
        options.source,
        options.target,
        options.links,
        options.out,
        options.max_length,
        models,
        options.weights,
        options.replace,
        options.numbered,
    )
    say(
        f"wrote {counted(extraction.pairs, 'pair')} of phrases of {counted(extraction.sentences, 'sentence pair')} to {options.out}"
    )
