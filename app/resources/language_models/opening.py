"""Opening a language model by what is in its file."""

from pathlib import Path

from app.resources.language_models.checking import check_binary
from app.resources.language_models.header import TRIE, not_a_model, read_arpa_counts, read_header
from app.resources.language_models.kenlm_model import KenlmModel
from app.resources.language_models.scores import LanguageModel
from app.resources.language_models.trie import TrieModel

__all__ = ["open_language_model"]


def open_language_model(path: Path) -> LanguageModel:
    """The model in a file, whatever it is called: our kernel on a plain trie, KenLM on all else that it reads.

    What stands in a binary is looked through before anything follows it. InputError names the file and what is accepted.
    """
    if path.is_dir():
        raise not_a_model(path, "is a folder, where assay resources lm writes lm.binary")
    if not path.is_file():
        raise not_a_model(path, "is not there")
    header = read_header(path)
    if header is not None:
        check_binary(path, header)
        return TrieModel.open(path, header) if header.kind == TRIE else KenlmModel.open(path)
    if read_arpa_counts(path) is None:
        raise not_a_model(path, "is not a language model")
    return KenlmModel.open(path)
