"""Training of a system on parallel text: align, extract, score, model the target language, and write a configuration."""

from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final

from app.building.alignment.files import AlignmentFiles, align_files
from app.building.alignment.symmetrisation import DEFAULT_SYMMETRISATION
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.smt.corpus.external_sort import DEFAULT_MEMORY
from app.smt.corpus.phrases.extraction import LONGEST_PHRASE, extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.building.sparse import SparseFeature, words_step
from app.smt.decoder.building.steps import CachedStep, CachedSteps, Counts, replace_text
from app.smt.decoder.building.text import MOST_WORDS, SOURCE, TARGET, write_pairs
from app.smt.decoder.moses_ini import SearchLimits
from app.text.batch import pack_tokenised
from app.text.reading.lines import TextFile

__all__ = ["CONFIGURATION", "UNTUNED_CONFIGURATION", "SystemOptions", "train_system"]

# Configurations in a system's folder: one for translation, and one with Moses' default weights.
CONFIGURATION: Final = "moses.ini"
UNTUNED_CONFIGURATION: Final = "untuned.ini"
LINKS: Final = "links.gz"
MODEL: Final = "lm.binary"


@dataclass(frozen=True)
class SystemOptions:
    """Options of training.

    `most_words` limits sentences, and `longest` limits phrases, in words. `heuristic` symmetrises word links. `reordering` names
    reordering models, and `order` is that of the language model. `limits` and `table_limit` (options per source phrase) go into the
    configuration. `memory` is for sorting. `text` lists more target text for the language model. `sparse` features get no weights
    before tuning.
    """

    lowercase: bool = False
    most_words: int = MOST_WORDS
    heuristic: str = DEFAULT_SYMMETRISATION
    longest: int = LONGEST_PHRASE
    reordering: tuple[str, ...] = ("hier-mslr-bidirectional-fe",)
    order: int = 5
    limits: SearchLimits = field(default_factory=lambda: SearchLimits(stack=100))
    table_limit: int = 20
    memory: int = DEFAULT_MEMORY
    text: tuple[Path, ...] = ()
    sparse: tuple[SparseFeature, ...] = ()


def train_system(steps: CachedSteps, source: Path, target: Path, options: SystemOptions = SystemOptions()) -> Path:
    """Train a system without tuned weights, and return its configuration, `UNTUNED_CONFIGURATION` in the folder of the steps.

    Steps with unchanged inputs and options are not repeated. InputError as in each step.
    """
    models = tuple(ReorderingModel.parse(name) for name in options.reordering)
    folder = steps.folder
    steps.run(_text(source, target, options))
    source, target = folder / "text" / SOURCE, folder / "text" / TARGET
    steps.run(_links(source, target, options))
    links = folder / "links" / LINKS
    steps.run(_phrases(source, target, links, models, options))
    steps.run(_tables(folder / "phrases", models, options))
    steps.run(_model(target, options))
    if (words := words_step(source, target, options.sparse)) is not None:
        steps.run(words)
    text = configuration(
        f"tables/{PHRASE_TABLE}",
        {model.name: f"tables/{model.file}" for model in models},
        f"model/{MODEL}",
        options.order,
        replace(options.limits, phrase_length=max(options.limits.phrase_length, options.longest)),
        options.table_limit,
        [feature.line for feature in options.sparse],
    )
    config = folder / UNTUNED_CONFIGURATION
    if not config.exists() or config.read_text("utf-8") != text:
        replace_text(config, text)
    return config


def _text(source: Path, target: Path, options: SystemOptions) -> CachedStep:
    def work(folder: Path) -> Counts:
        return write_pairs(source, target, folder, options.lowercase, options.most_words)

    settings = {"lowercase": options.lowercase, "most words": options.most_words}
    return CachedStep("text", {"source": source, "target": target}, settings, work)


def _links(source: Path, target: Path, options: SystemOptions) -> CachedStep:
    def work(folder: Path) -> Counts:
        return {"segments": align_files(source, target, AlignmentFiles(links=folder / LINKS), options.heuristic)}

    return CachedStep("links", {"source": source, "target": target}, {"heuristic": options.heuristic}, work)


def _phrases(source: Path, target: Path, links: Path, models: tuple[ReorderingModel, ...], options: SystemOptions) -> CachedStep:
    # A file of orientations has one model for each unit; a model with four orientations also serves tables with three.
    finest = {model.unit: model.events for model in sorted(models, key=lambda model: model.events == "mslr")}
    names = [f"{unit}-{events}" for unit, events in finest.items()]

    def work(folder: Path) -> Counts:
        # `extract_phrases` replaces the folder.
        extraction = extract_phrases(
            source, target, links, folder, options.longest, [OrientationModel.parse(name) for name in names], replace=True
        )
        return {"pairs of phrases": extraction.pairs}

    settings = {"longest": options.longest, "orientation": names}
    return CachedStep("phrases", {"source": source, "target": target, "links": links}, settings, work)


def _tables(phrases: Path, models: tuple[ReorderingModel, ...], options: SystemOptions) -> CachedStep:
    def work(folder: Path) -> Counts:
        settings = TableOptions(reordering=models, memory=options.memory)
        return {"pairs of phrases": build_tables(phrases, folder, settings, replace=True).pairs}

    inputs = {path.name: path for path in sorted(phrases.iterdir())}
    return CachedStep("tables", inputs, {"reordering": [model.name for model in models]}, work)


def _model(target: Path, options: SystemOptions) -> CachedStep:
    def work(folder: Path) -> Counts:
        corpus = pack_tokenised(chain.from_iterable(_lines(path, options.lowercase) for path in (target, *options.text)))
        model = estimate_language_model(corpus, options.order)
        write_kenlm_trie(model, folder / MODEL)
        return {"segments": len(corpus), "n-grams": sum(len(order.log_prob) for order in model.orders)}

    inputs = {"target": target, **{f"text {number}": path for number, path in enumerate(options.text)}}
    return CachedStep("model", inputs, {"order": options.order, "lowercase": options.lowercase}, work)


def _lines(path: Path, lowercase: bool) -> list[str]:
    return [line.lower() if lowercase else line for line in TextFile.of(path).lines()]
