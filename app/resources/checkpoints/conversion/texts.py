"""The tokeniser of a checkpoint, and the settings that lie beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.resources.checkpoints.conversion.refusal import needed_package, refused

__all__ = ["Tokeniser", "read_json", "read_tokeniser"]

FILE: Final = "tokenizer.json"
# What transformers makes a tokenizer.json of.
SLOW: Final = ("sentencepiece.bpe.model", "spiece.model", "spm.model", "vocab.txt")
LARGEST: Final = 16_000_000


class Tokeniser:
    """The rules of a tokeniser as text, its number of tokens, and the number of a token."""

    def __init__(self, rules: str) -> None:
        tokenizers: Any = needed_package("tokenizers")
        try:
            self._tokeniser = tokenizers.Tokenizer.from_str(rules)
        except Exception:
            # Without a class of its own.
            raise refused(f"{FILE} is damaged, or none of the library tokenizers") from None
        self.rules: Final = rules
        self.size: Final = 1 + max(self._tokeniser.get_vocab(with_added_tokens=True).values(), default=-1)

    def number(self, *tokens: str) -> int:
        """The number of the first of these tokens that there is."""
        for token in tokens:
            number = self._tokeniser.token_to_id(token)
            if number is not None:
                return int(number)
        raise refused(f"the tokeniser has none of the tokens {', '.join(tokens)}")


def read_tokeniser(*folders: Path) -> Tokeniser:
    """The tokeniser in the first of these folders that has one; InputError says which files are looked for."""
    for folder in folders:
        if (folder / FILE).is_file():
            try:
                return Tokeniser((folder / FILE).read_text("utf-8"))
            except UnicodeDecodeError:
                raise refused(f"{FILE} is damaged") from None
    for folder in folders:
        if any((folder / name).is_file() for name in SLOW):
            return Tokeniser(_made_fast(folder))
    names = ", ".join((FILE, *SLOW))
    raise refused(f"there is no tokeniser: {names} are looked for in {' and '.join(map(str, folders))}; --encoder names a folder")


def _made_fast(folder: Path) -> str:
    """The rules that transformers makes of SentencePiece's or WordPiece's file."""
    transformers: Any = needed_package("transformers")
    try:
        made = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_fast=True
        )
        return str(made.backend_tokenizer.to_str())
    except Exception as error:
        raise refused(f"transformers makes no tokeniser of what lies in {folder} ({type(error).__name__})") from None


def read_json(path: Path) -> Mapping[str, Any]:
    """A JSON file's object; InputError where there is none."""
    if not path.is_file():
        raise refused(
            f"there is no {path.name} in {path.parent}; --encoder names the folder of the encoder that it was trained from"
        )
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise refused(f"{path.name} is not JSON") from None
    if not isinstance(content, dict):
        raise refused(f"{path.name} holds no object")
    return content
