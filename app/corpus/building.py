"""Making the resource folders that the engine loads."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from safetensors.numpy import save_file

from app.corpus.alignment import train_alignment
from app.corpus.arpa import write_arpa
from app.corpus.kenlm_trie import write_kenlm_trie
from app.corpus.kneser_ney import estimate_language_model
from app.corpus.lexical_table import estimate_lexical_table, write_lexical_table
from app.corpus.symmetrisation import DEFAULT_SYMMETRISATION, symmetrise
from app.corpus.writing import written_aside
from app.errors import InputError
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.resources.manifest import Manifest, checksum, write_manifest
from app.resources.ngram_counts import NgramCounts
from app.text.batch import pack_lines
from app.text.languages import LanguagePair
from app.text.parallel_corpus import ParallelCorpus
from app.text.reading.tables import read_column
from app.text.tokenisation import tokeniser_for

__all__ = ["AlignedCorpus", "align_corpus", "build_language_resources", "build_pair_resources"]


def _inputs(specs: Sequence[str]) -> dict[str, str]:
    """Checksums by the last two parts of each path, so that a manifest says nothing about the machine."""
    files = {spec: Path(spec) if Path(spec).exists() else Path(spec.rpartition(":")[0]) for spec in specs}
    return {"/".join(Path(spec).parts[-2:]): checksum(path) for spec, path in files.items()}


def _files(folder: Path, names: Sequence[str]) -> dict[str, str]:
    return {name: checksum(folder / name) for name in names}


def build_language_resources(
    language: str, specs: Sequence[str], folder: Path, order: int = 3, licence: str = "unknown", arpa: bool = False
) -> None:
    """From text (``FILE`` or ``FILE:COLUMN`` each) to lm.binary, ngrams.safetensors and a manifest."""
    tokenise = tokeniser_for(language)
    corpus = pack_lines([" ".join(tokenise(line)) for spec in specs for line in read_column(spec)])
    if not len(corpus.ids):
        raise InputError("empty-input", "the text holds no tokens; give files with one segment a line")
    model = estimate_language_model(corpus, order)
    counts = NgramCounts.count(corpus)
    with written_aside(folder) as aside:
        write_kenlm_trie(model, aside / "lm.binary")
        if arpa:
            write_arpa(model, aside / "lm.arpa")
        save_file(counts.arrays(), aside / "ngrams.safetensors")
        statistics: dict[str, float | int | Sequence[float]] = {
            "segments": len(corpus),
            "tokens": len(corpus.ids),
            "order": order,
            "ngrams": [len(table.log_prob) for table in model.orders],
        }
        write_manifest(
            aside,
            Manifest(
                name=language,
                description="language model (KenLM trie) and n-gram counts, lower-cased",
                command=f"assay lm --language {language}",
                licence=licence,
                inputs=_inputs(specs),
                files=_files(aside, ["lm.binary", "ngrams.safetensors"]),
                statistics=statistics,
            ),
        )


@dataclass(frozen=True)
class AlignedCorpus:
    """A corpus with symmetrised links, and the perplexities of both directions."""

    corpus: ParallelCorpus
    forward: tuple[tuple[float, ...], tuple[float, ...]]
    backward: tuple[tuple[float, ...], tuple[float, ...]]


def align_corpus(corpus: ParallelCorpus, method: str = DEFAULT_SYMMETRISATION) -> AlignedCorpus:
    """Train both directions and symmetrise them."""
    forward, backward = train_alignment(corpus), train_alignment(corpus.flipped)
    links = symmetrise(corpus, forward.source_of, backward.source_of, method)
    return AlignedCorpus(corpus.linked(links), forward.perplexities, backward.perplexities)


def build_pair_resources(pair: LanguagePair, source_spec: str, target_spec: str, folder: Path, licence: str = "unknown") -> None:
    """From parallel text to lexical tables both ways (GIZA text and loaded form) and a manifest."""
    tokenise_source, tokenise_target = tokeniser_for(pair.source), tokeniser_for(pair.target)
    sources = [" ".join(tokenise_source(line)) for line in read_column(source_spec)]
    targets = [" ".join(tokenise_target(line)) for line in read_column(target_spec)]
    aligned = align_corpus(ParallelCorpus.of_lines(sources, targets))
    with written_aside(folder) as aside:
        names: list[str] = []
        for direction, corpus in ((pair, aligned.corpus), (pair.reversed, aligned.corpus.flipped)):
            entries = estimate_lexical_table(corpus)
            write_lexical_table(entries, aside / f"lex.{direction}.gz")
            save_file(entries.table().arrays(), aside / f"lex.{direction}.safetensors")
            names += [f"lex.{direction}.gz", f"lex.{direction}.safetensors"]
        index = CorpusIndex(SegmentIndex.of(aligned.corpus.source), SegmentIndex.of(aligned.corpus.target))
        save_file(index.arrays(), aside / "index.safetensors")
        names.append("index.safetensors")
        write_manifest(
            aside,
            Manifest(
                name=str(pair),
                description="lexical translation tables in both directions and an index of the segments, lower-cased",
                command=f"assay align --pair {pair}",
                licence=licence,
                inputs=_inputs([source_spec, target_spec]),
                files=_files(aside, names),
                statistics={
                    "segments": len(sources),
                    "perplexity_model1": aligned.forward[0],
                    "perplexity_hmm": aligned.forward[1],
                    "perplexity_model1_backward": aligned.backward[0],
                    "perplexity_hmm_backward": aligned.backward[1],
                },
            ),
        )
