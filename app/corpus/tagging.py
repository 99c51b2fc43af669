"""Part-of-speech taggers (UDPipe 1) trained on treebanks in CoNLL-U; needs the package ufal.udpipe (assay[taggers])."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from app.text.errors import InputError

__all__ = ["UniversalTagger", "train_tagger"]

# UPOS only: one model, no lemmas, no features, no parser.
OPTIONS: Final = (
    "models=1;templates_1=tagger;guesser_suffix_rules_1=8;use_lemma_1=0;provide_lemma_1=0;"
    "use_xpostag_1=0;provide_xpostag_1=0;use_feats_1=0;provide_feats_1=0;iterations_1=6"
)


def _udpipe() -> Any:
    try:
        from ufal import udpipe
    except ImportError:
        raise InputError("invalid-request", "taggers need the package ufal.udpipe (assay[taggers])") from None
    return udpipe


class UniversalTagger:
    """Tags tokens with universal parts of speech."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def tag(self, tokens: Sequence[str]) -> list[str]:
        """One tag per token."""
        udpipe = _udpipe()
        sentence = udpipe.Sentence()
        for token in tokens:
            sentence.addWord(token)
        if tokens:
            self._model.tag(sentence, self._model.DEFAULT)
        return [sentence.words[k + 1].upostag or "X" for k in range(len(tokens))]


# Words of a treebank that are enough: training takes minutes for each 100,000.
MOST_WORDS: Final = 60_000


def train_tagger(treebank: Path, scratch: Path) -> UniversalTagger:
    """Train on the first 60,000 words of a gzipped CoNLL-U file; the model file goes to `scratch`.

    InputError says why it cannot be done.
    """
    udpipe = _udpipe()
    with gzip.open(treebank, "rt", encoding="utf-8") as text:
        reader = udpipe.InputFormat.newConlluInputFormat()
        reader.setText(text.read())
    error = udpipe.ProcessingError()
    sentences = udpipe.Sentences()
    sentence = udpipe.Sentence()
    words = 0
    while words < MOST_WORDS and reader.nextSentence(sentence, error):
        sentences.append(sentence)
        words += len(sentence.words) - 1
        sentence = udpipe.Sentence()
    model = udpipe.Trainer.train("morphodita_parsito", sentences, udpipe.Sentences(), "none", OPTIONS, "none", error)
    if error.occurred() or not model:
        raise InputError("invalid-training-data", f"{treebank.name}: {error.message}")
    path = scratch / "tagger.udpipe"
    path.write_bytes(model)
    return UniversalTagger(udpipe.Model.load(str(path)))
