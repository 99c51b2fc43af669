"""Language pairs of the workers of a machine."""

from app.errors import InputError
from app.settings import Settings
from app.text import LanguagePair

__all__ = ["worker_pairs"]


def worker_pairs(settings: Settings) -> list[LanguagePair]:
    """Pairs that the workers take, all if empty. InputError (`invalid-request`) names the setting of a wrong one."""
    pairs = []
    for text in settings.pairs_of_workers:
        try:
            pairs.append(LanguagePair.parse(text))
        except InputError:
            detail = f"{text[:40]} is no language pair; write pairs with commas, as ro-en,en-de"
            raise InputError("invalid-request", detail, ("ASSAY_WORKER_PAIRS",)) from None
    return pairs
