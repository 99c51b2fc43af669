"""Building of the resource folders that the engine loads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.building.alignment.symmetrisation import DEFAULT_SYMMETRISATION, symmetrise
from app.building.alignment.variational import train_alignment
from app.building.arpa import write_arpa
from app.building.bags_of_words import train_bags_of_words
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.lexical_table import estimate_lexical_table, write_lexical_table
from app.building.writing import check_new, folder_aside, save_arrays
from app.errors import InputError
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.resources.ngram_counts import NgramCounts
from app.resources.pair_sets import BAGS
from app.text.batch import pack_lines, pack_tokenised
from app.text.languages import LanguagePair
from app.text.parallel_corpus import ParallelCorpus
from app.text.reading.tables import read_column
from app.text.tokenisation import tokeniser_for

__all__ = [
    "AlignedCorpus",
    "Origin",
    "align_corpus",
    "build_language",
    "build_language_resources",
    "build_pair",
    "build_pair_resources",
]

# Files that block a build without `replace`; a tagger may already be in the folder.
LANGUAGE_FILES: Final = ("lm.binary", "ngrams.safetensors", MANIFEST)


def _inputs(specs: Sequence[str]) -> dict[str, str]:
    """Checksums by the last two parts of each path, so that a manifest hides paths of the machine."""
    files = {spec: Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for spec in specs}
    return {"/".join(Path(spec).parts[-2:]): checksum(path) for spec, path in files.items()}


def _files(folder: Path, names: Sequence[str]) -> dict[str, str]:
    return {name: checksum(folder / name) for name in names}


@dataclass(frozen=True)
class Origin:
    """Origin of resources for their manifests: the command, checksums of its inputs by name, and their licence."""

    command: str
    inputs: Mapping[str, str]
    licence: str = "unknown"


def build_language_resources(
    language: str,
    specs: Sequence[str],
    folder: Path,
    order: int = 3,
    licence: str = "unknown",
    arpa: bool = False,
    replace: bool = False,
    tokenised: bool = False,
    lowercase: bool = False,
) -> None:
    """Build lm.binary, ngrams.safetensors and a manifest from texts (``FILE`` or ``FILE:COLUMN``).

    Words are lower-cased tokens, as features use them. With `tokenised` they are blank-separated words with their case, for a
    decoder, or lower-cased with `lowercase`. Existing files are an InputError unless `replace` is set.
    """
    if not replace:
        check_new(folder, LANGUAGE_FILES)
    texts = (line for spec in specs for line in read_column(spec))
    command = f"assay resources lm --language {language}{' --tokenised' * tokenised}{' --lowercase' * lowercase}"
    build_language(language, texts, folder, Origin(command, _inputs(specs), licence), order, arpa, replace, tokenised, lowercase)


def build_language(
    language: str,
    texts: Iterable[str],
    folder: Path,
    origin: Origin,
    order: int = 3,
    arpa: bool = False,
    replace: bool = False,
    tokenised: bool = False,
    lowercase: bool = False,
) -> Manifest:
    """Build language resources from segments; return the manifest."""
    if tokenised:
        corpus = pack_tokenised(line.lower() if lowercase else line for line in texts)
    else:
        tokenise = tokeniser_for(language)
        corpus = pack_lines([" ".join(tokenise(line)) for line in texts])
    if not len(corpus.ids):
        raise InputError("empty-input", "the text has no tokens; pass files with one segment per line")
    model = estimate_language_model(corpus, order)
    counts = NgramCounts.count(corpus)
    words = "words as they are" if tokenised and not lowercase else "lower-cased"
    with folder_aside(folder, replace) as staging:
        write_kenlm_trie(model, staging / "lm.binary")
        if arpa:
            write_arpa(model, staging / "lm.arpa")
        save_arrays(counts.arrays(), staging / "ngrams.safetensors")
        statistics: dict[str, float | int | Sequence[float]] = {
            "segments": len(corpus),
            "tokens": len(corpus.ids),
            "order": order,
            "ngrams": [len(table.log_prob) for table in model.orders],
        }
        manifest = Manifest(
            name=language,
            description=f"language model (KenLM trie) and n-gram counts, {words}",
            command=origin.command,
            licence=origin.licence,
            inputs=origin.inputs,
            files=_files(staging, ["lm.binary", "ngrams.safetensors"]),
            statistics=statistics,
        )
        write_manifest(staging, manifest)
    return manifest


@dataclass(frozen=True)
class AlignedCorpus:
    """A corpus with symmetrised links, and the perplexities of both directions."""

    corpus: ParallelCorpus
    forward: tuple[tuple[float, ...], tuple[float, ...]]
    backward: tuple[tuple[float, ...], tuple[float, ...]]


def align_corpus(corpus: ParallelCorpus, method: str = DEFAULT_SYMMETRISATION) -> AlignedCorpus:
    """Train both directions of alignment and symmetrise their links."""
    forward, backward = train_alignment(corpus), train_alignment(corpus.reversed)
    links = symmetrise(corpus, forward.source_of, backward.source_of, method)
    return AlignedCorpus(corpus.linked(links), forward.perplexities, backward.perplexities)


def build_pair_resources(
    pair: LanguagePair,
    source_spec: str,
    target_spec: str,
    folder: Path,
    licence: str = "unknown",
    replace: bool = False,
    topics: bool = False,
) -> None:
    """Build lexical tables of both directions (GIZA text and arrays), an index and a manifest.

    With `topics`, topics, triggers and a word lexicon too; `replace` allows existing files.
    """
    if not replace:
        check_new(folder, [MANIFEST])
    origin = Origin(f"assay resources align --pair {pair}{' --topics' * topics}", _inputs([source_spec, target_spec]), licence)
    build_pair(pair, read_column(source_spec), read_column(target_spec), folder, origin, replace, topics)


def build_pair(
    pair: LanguagePair,
    sources: Iterable[str],
    targets: Iterable[str],
    folder: Path,
    origin: Origin,
    replace: bool = False,
    topics: bool = False,
) -> Manifest:
    """Build pair resources from segments, with `topics` also topics, triggers and a word lexicon; return the manifest."""
    tokenise_source, tokenise_target = tokeniser_for(pair.source), tokeniser_for(pair.target)
    source_lines = [" ".join(tokenise_source(line)) for line in sources]
    target_lines = [" ".join(tokenise_target(line)) for line in targets]
    alignment = align_corpus(ParallelCorpus.of_lines(source_lines, target_lines))
    with folder_aside(folder, replace, [BAGS]) as staging:
        names: list[str] = []
        for direction, corpus in ((pair, alignment.corpus), (pair.reversed, alignment.corpus.reversed)):
            entries = estimate_lexical_table(corpus)
            write_lexical_table(entries, staging / f"lex.{direction.file_name}.gz")
            save_arrays(entries.table().arrays(), staging / f"lex.{direction.file_name}.safetensors")
            names += [f"lex.{direction.file_name}.gz", f"lex.{direction.file_name}.safetensors"]
        index = CorpusIndex(SegmentIndex.of(alignment.corpus.source), SegmentIndex.of(alignment.corpus.target))
        save_arrays(index.arrays(), staging / "index.safetensors")
        names.append("index.safetensors")
        if topics:
            save_arrays(train_bags_of_words(alignment.corpus).arrays(), staging / BAGS)
            names.append(BAGS)
        manifest = Manifest(
            name=str(pair),
            description="lexical translation tables in both directions"
            + (", an index of the segments, topics, triggers and a word lexicon" if topics else " and an index of the segments")
            + ", lower-cased",
            command=origin.command,
            licence=origin.licence,
            inputs=origin.inputs,
            files=_files(staging, names),
            statistics={
                "segments": len(source_lines),
                "perplexity_model1": alignment.forward[0],
                "perplexity_hmm": alignment.forward[1],
                "perplexity_model1_backward": alignment.backward[0],
                "perplexity_hmm_backward": alignment.backward[1],
            },
        )
        write_manifest(staging, manifest)
    return manifest
