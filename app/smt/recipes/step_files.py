"""Which arguments and options of commands are files: what recipes look at to know whether a step has to run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["SPARSE_WEIGHTS", "STEP_FILES", "WITH_SPARSE_WEIGHTS", "StepFiles"]

# What tuning writes beside a configuration with sparse features, whose name is otherwise the same.
SPARSE_WEIGHTS: Final = ".sparse-weights"
WITH_SPARSE_WEIGHTS: Final = frozenset({"tune", "samplerank"})


@dataclass(frozen=True)
class StepFiles:
    """Names of arguments and options that are files or folders; those of `first` take two values, of which the first is a file,
    those of `maybe` a file or the name of something that ships. With `resumes` a command goes on with what it has left there.

    What is in neither is an option. Every option that is a path stands in one of both (`tests/shell/recipes`).
    """

    reads: frozenset[str]
    writes: frozenset[str]
    first: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    resumes: bool = False


def _files(reads: str, writes: str = "", first: str = "", maybe: str = "", resumes: bool = False) -> StepFiles:
    read, written, first_alone, either = (frozenset(names.split()) for names in (f"{reads} {maybe}", writes, first, maybe))
    return StepFiles(read, written, first_alone, either, resumes)


STEP_FILES: Final[Mapping[str, StepFiles]] = {
    "lm": _files("texts", "out"),
    "import-lm": _files("model counts", "out"),
    "import-lexical": _files("forward backward vocabularies", "out"),
    "align": _files("source target model symmetrise", "links forward reverse scores save out"),
    "extract": _files("source target links weights", "out"),
    "phrase-table": _files(
        "extracted lexical pair_scores domain_indicator domain_ratio domain_subset"
        " sparse_domain_indicator sparse_domain_ratio sparse_domain_subset unaligned_function",
        "out",
    ),
    "select-data": _files(
        "source target links in_source in_target in_links general_source general_target lm_source lm_target"
        " train_source train_target aligner given n_best wanted_n_best",
        "out_source out_target out_links out_table scores decisions features",
        maybe="function_words",
    ),
    "filter": _files("source target links not_in", "out_source out_target out_links out_table decisions"),
    "concatenate": _files("files", "out"),
    "slice": _files("files", "out"),
    "split": _files("files", "out rest"),
    "sort": _files("files by", "out"),
    "prune-table": _files("table source target", "out"),
    "weight": _files("text corpora held_out lm dates alignment", "out table"),
    "mine": _files("source translations target dates", "out"),
    "take-translations": _files("source lists", "out"),
    "translate-unknown": _files("source output table lm", "out"),
    "resample": _files("files corpora scores", "out"),
    "mix-lm": _files("models held_out", "out"),
    "compact-table": _files("table", "out"),
    "search-weights": _files("extracted pair_scores config source reference", "out table"),
    "convert-trees": _files("trees", "out", maybe="head_table"),
    "extract-trees": _files("source target links lexical", "out", maybe="source_heads target_heads"),
    "align-trees": _files("source target links lexical", "out", maybe="source_heads target_heads"),
    "merge-extracts": _files("extractions trace text", "out"),
    "smt train": _files("source target dev lm_text", "out", resumes=True),
    "smt translate": _files("system text", "n_best", "n_best"),
    "decode": _files("config text weight_file needed needed_begin oracle", "n_best trace search_graph", "n_best"),
    "word-lexicon": _files("source target", "out"),
    "continuous-space-model": _files("text", "out"),
    "translation-model": _files("source target", "out"),
    "encode": _files("texts", "output"),
    "tune": _files("n_best references start source held_out held_out_references moses_ini decoder", "out work", resumes=True),
    "mbr": _files("files samples"),
    "rerank": _files(
        "files weights source lm tag_lm tagger table reverse_table lexicon neural continuous_space references", "write_features"
    ),
    "samplerank": _files("source reference config", "out"),
    "oracle": _files("files references"),
    "score": _files("first references systems source", "save_scores"),
    "features": _files("files log_probs tokens n_best pseudo_references back_translations"),
}
