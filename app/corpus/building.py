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
from app.corpus.symmetrisation import Links, grow_diag_final_and
from app.errors import InputError
from app.resources.corpus_index import CorpusIndex, SegmentIndex
from app.resources.lexical_table import LexicalTable
from app.resources.manifest import Manifest, checksum, write_manifest
from app.resources.ngram_counts import NgramCounts
from app.text.batch import pack_tokens
from app.text.languages import LanguagePair
from app.text.tables import read_column
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
    segments = [tokenise(line) for spec in specs for line in read_column(spec)]
    if not any(segments):
        raise InputError("empty-input", "the text holds no tokens; give files with one segment a line")
    folder.mkdir(parents=True, exist_ok=True)
    model = estimate_language_model(segments, order)
    write_kenlm_trie(model, folder / "lm.binary")
    if arpa:
        write_arpa(model, folder / "lm.arpa")
    counts = NgramCounts.count(pack_tokens(segments))
    save_file(counts.arrays(), folder / "ngrams.safetensors")
    statistics: dict[str, float | int | Sequence[float]] = {
        "segments": len(segments),
        "tokens": sum(map(len, segments)),
        "order": order,
        "ngrams": [len(table.log_prob) for table in model.orders],
    }
    write_manifest(
        folder,
        Manifest(
            name=language,
            description="language model (KenLM trie) and n-gram counts, lower-cased",
            command=f"assay lm --language {language}",
            licence=licence,
            inputs=_inputs(specs),
            files=_files(folder, ["lm.binary", "ngrams.safetensors"]),
            statistics=statistics,
        ),
    )


@dataclass(frozen=True)
class AlignedCorpus:
    """Symmetrised links of every segment and the perplexities of both directions."""

    links: tuple[Links, ...]
    forward: tuple[tuple[float, ...], tuple[float, ...]]
    backward: tuple[tuple[float, ...], tuple[float, ...]]


def align_corpus(sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> AlignedCorpus:
    """Train both directions on tokenised segments and symmetrise them (grow-diag-final-and)."""
    forward = train_alignment(sources, targets)
    backward = train_alignment(targets, sources)
    links = tuple(grow_diag_final_and(f, b) for f, b in zip(forward.links, backward.links, strict=True))
    return AlignedCorpus(links, forward.perplexities, backward.perplexities)


def build_pair_resources(pair: LanguagePair, source_spec: str, target_spec: str, folder: Path, licence: str = "unknown") -> None:
    """From parallel text to lexical tables both ways (GIZA text and loaded form) and a manifest."""
    tokenise_source, tokenise_target = tokeniser_for(pair.source), tokeniser_for(pair.target)
    sources = [tokenise_source(line) for line in read_column(source_spec)]
    targets = [tokenise_target(line) for line in read_column(target_spec)]
    aligned = align_corpus(sources, targets)
    folder.mkdir(parents=True, exist_ok=True)
    flipped = [frozenset((j, i) for i, j in links) for links in aligned.links]
    names: list[str] = []
    for here, there, a, b, links in (
        (pair.source, pair.target, sources, targets, aligned.links),
        (pair.target, pair.source, targets, sources, flipped),
    ):
        entries = estimate_lexical_table(a, b, links)
        write_lexical_table(entries, folder / f"lex.{here}-{there}.gz")
        save_file(LexicalTable.from_entries(entries).arrays(), folder / f"lex.{here}-{there}.safetensors")
        names += [f"lex.{here}-{there}.gz", f"lex.{here}-{there}.safetensors"]
    index = CorpusIndex(SegmentIndex.of(pack_tokens(sources)), SegmentIndex.of(pack_tokens(targets)))
    save_file(index.arrays(), folder / "index.safetensors")
    names.append("index.safetensors")
    write_manifest(
        folder,
        Manifest(
            name=str(pair),
            description="lexical translation tables in both directions and an index of the segments, lower-cased",
            command=f"assay align --pair {pair}",
            licence=licence,
            inputs=_inputs([source_spec, target_spec]),
            files=_files(folder, names),
            statistics={
                "segments": len(sources),
                "perplexity_model1": aligned.forward[0],
                "perplexity_hmm": aligned.forward[1],
                "perplexity_model1_backward": aligned.backward[0],
                "perplexity_hmm_backward": aligned.backward[1],
            },
        ),
    )
