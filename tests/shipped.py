"""What ships, loaded once for all engines that tests of commands open: parts of resources and models are only read."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from app.predictors import load_model
from app.predictors.word_tags import load_word_tagger
from app.resources import loading
from app.settings import ROOT

__all__ = ["loaded_once"]

SHIPPED = (ROOT / "resources", ROOT / "models")


def once_of_what_ships(load: Callable[..., Any]) -> Callable[..., Any]:
    """A loader that remembers what lies in the folders that ship; what tests write is loaded as always."""
    remembered = cache(load)

    def loader(path: Path, *more: Any) -> Any:
        return (remembered if path.parent in SHIPPED else load)(path, *more)

    return loader


LOADERS = (
    ("app.resources.loading._open_part", once_of_what_ships(loading._open_part)),
    ("app.registry.models.load_model", once_of_what_ships(load_model)),
    ("app.registry.models.load_word_tagger", once_of_what_ships(load_word_tagger)),
)


@contextmanager
def loaded_once() -> Iterator[None]:
    """Engines that are opened meanwhile share what ships."""
    with ExitStack() as patches:
        for name, loader in LOADERS:
            patches.enter_context(patch(name, loader))
        yield
