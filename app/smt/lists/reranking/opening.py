"""Resources of reranking that lie in files of one's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from app.building.lexical_table import read_lexical_table
from app.errors import InputError
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.lexical_table import LexicalTable
from app.resources.tagger import UdpipeTagger
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.neural import ContinuousSpaceModel, TranslationModel
from app.smt.lists.reranking.word_lexicon import WordLexicon

__all__ = ["covers", "open_reranking_resources", "open_table"]

ENDING: Final = ".safetensors"
Trained = TypeVar("Trained", WordLexicon, TranslationModel, ContinuousSpaceModel)


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
    """Language models (KenLM, ARPA), a UDPipe tagger, lexical tables (text, or of ``assay resources align``), a word lexicon.

    InputError names a file that is not what it should be, and two models of one order.
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


def _of_case(resource: Trained, path: Path, lowered: bool) -> Trained:
    """The resource, whose words were trained as they are looked for; InputError where its card says otherwise."""
    cased = resource.card.get("cased")
    if cased is not None and bool(cased) == lowered:
        detail = (
            "was trained with capital letters: ask with --cased" if cased else "was trained on small letters: leave --cased out"
        )
        raise InputError("invalid-request", f"{path.name} {detail}", (str(path),))
    return resource


def covers(resources: RerankingResources, spec: str) -> bool:
    """Whether a feature that looks at resources finds its own here."""
    name = spec.split("|")[0]
    if name.startswith(("lm", "ppl")) and name[-1].isdigit():
        return int(name[-1]) in resources.models
    if name.startswith("plm"):
        return int(name[-1]) in resources.tag_models and resources.tagger is not None
    kept = {
        "ibm": resources.table, "ibm-1": resources.reverse_table, "dwl": resources.lexicon, "neural": resources.neural,
        "cslm": resources.continuous_space,
    }  # fmt: skip
    return kept.get(name) is not None


def open_table(path: Path) -> LexicalTable:
    """A lexical table: lines of a given word, a word and its probability, as GIZA++ and Moses write them, or the loaded form."""
    if path.suffix == ENDING:
        return LexicalTable.load(path)
    try:
        return LexicalTable.from_entries(read_lexical_table(path))
    except (OSError, EOFError, ValueError, IndexError):
        detail = f"{path.name} is no lexical table: lines are a given word, a word and its probability"
        raise InputError("invalid-table", detail, (path.name,)) from None


def _by_order(paths: Sequence[Path]) -> dict[int, LanguageModel]:
    models: dict[int, LanguageModel] = {}
    for path in paths:
        model = open_language_model(path)
        if model.order in models:
            raise InputError("invalid-request", f"{path.name} is another language model of order {model.order}", ("features",))
        models[model.order] = model
    return models
