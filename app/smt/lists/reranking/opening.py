"""Reranking resources from files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from app.building.lexical_table import read_lexical_table
from app.errors import InputError
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.tagger import UdpipeTagger
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel
from app.smt.lists.reranking.neural.model import TranslationModel
from app.smt.lists.reranking.word_lexicon import WordLexicon

__all__ = ["covers", "open_reranking_resources", "open_table"]

ENDING: Final = ".safetensors"
CardedResource = TypeVar("CardedResource", WordLexicon, TranslationModel, ContinuousSpaceModel)


def open_reranking_resources(
    models: Sequence[Path] = (),
    tag_models: Sequence[Path] = (),
    tagger: Path | None = None,
    table: Path | None = None,
    reverse_table: Path | None = None,
    lexicon: Path | None = None,
    neural: Path | None = None,
    lowered: bool = True,
    continuous_space: Path | None = None,
) -> RerankingResources:
    """Open language models (KenLM, ARPA), a UDPipe tagger, lexical tables (text or ``assay resources align``), trained models.

    InputError names an unsuitable file, or two models of one order.
    """
    return RerankingResources(
        _by_order(models),
        _by_order(tag_models),
        None if tagger is None else UdpipeTagger.load(tagger),
        None if table is None else open_table(table),
        None if reverse_table is None else open_table(reverse_table),
        None if lexicon is None else _of_case(WordLexicon.load(lexicon), lexicon, lowered),
        None if neural is None else _of_case(TranslationModel.load(neural), neural, lowered),
        lowered,
        None if continuous_space is None else _of_case(ContinuousSpaceModel.load(continuous_space), continuous_space, lowered),
    )


def _of_case(resource: CardedResource, path: Path, lowered: bool) -> CardedResource:
    """Return the resource; InputError if its card has the wrong case of words."""
    cased_training = resource.card.get("cased")
    if cased_training is not None and bool(cased_training) == lowered:
        detail = "was trained on cased text: add --cased" if cased_training else "was trained on lower-case text: remove --cased"
        raise InputError("invalid-request", f"{path.name} {detail}", (str(path),))
    return resource


def covers(resources: RerankingResources, spec: str) -> bool:
    """Return True if the resources contain what a feature needs."""
    name = spec.split("|")[0]
    if name.startswith(("lm", "ppl")) and name[-1].isdigit():
        return int(name[-1]) in resources.models
    if name.startswith("plm"):
        return int(name[-1]) in resources.tag_models and resources.tagger is not None
    resource_of = {
        "ibm": resources.table, "ibm-1": resources.reverse_table, "dwl": resources.lexicon, "neural": resources.neural,
        "cslm": resources.continuous_space,
    }  # fmt: skip
    return resource_of.get(name) is not None


def open_table(path: Path) -> LexicalTable:
    """Open a lexical table: lines ``given word, word, probability`` of GIZA++ and Moses, or a safetensors file."""
    if path.suffix == ENDING:
        return LexicalTable.load(path)
    try:
        return LexicalTable.from_entries(read_lexical_table(path))
    except (OSError, EOFError, ValueError, IndexError):
        detail = f"{path.name} is not a lexical table; lines have a given word, a word and its probability"
        raise InputError("invalid-table", detail, (path.name,)) from None


def _by_order(paths: Sequence[Path]) -> dict[int, LanguageModel]:
    models: dict[int, LanguageModel] = {}
    for path in paths:
        model = open_language_model(path)
        if model.order in models:
            detail = f"{path.name} is a second language model of order {model.order}; give one per order"
            raise InputError("invalid-request", detail, ("features",))
        models[model.order] = model
    return models
