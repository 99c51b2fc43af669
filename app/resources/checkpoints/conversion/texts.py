"""The tokeniser of a checkpoint, and the settings beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.resources.checkpoints.conversion.refusal import needed_package, refused

__all__ = ["CheckpointTokeniser", "read_json", "read_tokeniser"]

FILE: Final = "tokenizer.json"
# Vocabularies that transformers turns into a tokenizer.json.
SLOW: Final = ("sentencepiece.bpe.model", "spiece.model", "spm.model", "vocab.txt")
LARGEST: Final = 16_000_000


class CheckpointTokeniser:
    """The rules of a tokeniser as text, its number of tokens, and the number of a token."""

    def __init__(self, rules: str) -> None:
        tokenizers: Any = needed_package("tokenizers")
        try:
            self._tokeniser = tokenizers.Tokenizer.from_str(rules)
        except Exception:
            # tokenizers raises no class of its own.
            raise refused(f"{FILE} is damaged, or no tokeniser of the library tokenizers") from None
        self.rules: Final = rules
        self.size: Final = 1 + max(self._tokeniser.get_vocab(with_added_tokens=True).values(), default=-1)

    def number(self, *tokens: str) -> int:
        """The number of the first of these tokens in the vocabulary; InputError where it has none."""
        for token in tokens:
            number = self._tokeniser.token_to_id(token)
            if number is not None:
                return int(number)
        raise refused(f"the tokeniser has none of the tokens {', '.join(tokens)}")


def read_tokeniser(*folders: Path) -> CheckpointTokeniser:
    """The tokeniser in the first of these folders that has one; InputError names the expected files."""
    for folder in folders:
        if (folder / FILE).is_file():
            try:
                return CheckpointTokeniser((folder / FILE).read_text("utf-8"))
            except UnicodeDecodeError:
                raise refused(f"{FILE} is damaged") from None
    for folder in folders:
        if any((folder / name).is_file() for name in SLOW):
            return CheckpointTokeniser(_converted(folder))
    names = ", ".join((FILE, *SLOW))
    raise refused(f"there is no tokeniser: none of {names} lies in {' and '.join(map(str, folders))}; --encoder names a folder")


def _converted(folder: Path) -> str:
    """Rules that transformers makes from a vocabulary of SentencePiece or WordPiece."""
    transformers: Any = needed_package("transformers")
    try:
        tokeniser = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_fast=True
        )
        return str(tokeniser.backend_tokenizer.to_str())
    except Exception as error:
        raise refused(f"transformers makes no tokeniser from the files in {folder} ({type(error).__name__})") from None


def read_json(path: Path) -> Mapping[str, Any]:
    """The object in a JSON file; InputError where it is absent."""
    if not path.is_file():
        raise refused(f"there is no {path.name} in {path.parent}; --encoder names the folder of the encoder before its training")
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise refused(f"{path.name} is not JSON") from None
    if not isinstance(content, dict):
        raise refused(f"{path.name} holds no object")
    return content
