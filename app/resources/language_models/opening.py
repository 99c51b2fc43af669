"""Opening of language models, by the content of their files."""

from pathlib import Path

from app.resources.language_models.checking import check_binary
from app.resources.language_models.header import TRIE, not_a_model, read_arpa_counts, read_header
from app.resources.language_models.kenlm_model import KenlmModel
from app.resources.language_models.scores import LanguageModel
from app.resources.language_models.trie import TrieModel

__all__ = ["open_language_model"]


def open_language_model(path: Path) -> LanguageModel:
    """The model in a file of any name: the compiled kernel reads plain tries, KenLM the rest.

    Binaries are checked before use. InputError names the file and the accepted formats.
    """
    if path.is_dir():
        raise not_a_model(path, "is a folder; name a file, such as the lm.binary that assay resources lm writes")
    if not path.is_file():
        raise not_a_model(path, "does not exist")
    header = read_header(path)
    if header is not None:
        check_binary(path, header)
        return TrieModel.open(path, header) if header.kind == TRIE else KenlmModel.open(path)
    if read_arpa_counts(path) is None:
        raise not_a_model(path, "is not a language model")
    return KenlmModel.open(path)
