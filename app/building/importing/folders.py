"""Folders of languages and pairs from what other programs made."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.building.arpa import read_arpa
from app.building.importing.counted_ngrams import FREQUENT, CountedNgrams, read_counted_ngrams
from app.building.importing.translations import ConditionColumn, Translations, read_translations, read_vocabulary
from app.building.kenlm_trie import write_kenlm_trie
from app.building.writing import check_new, folder_aside, save_arrays
from app.errors import InputError
from app.resources.language_models import LanguageModel, open_language_model
from app.resources.language_models.header import not_a_model, read_header
from app.resources.manifest import MANIFEST, Manifest, checksum, write_manifest
from app.text.batch import pack_tokens
from app.text.languages import LanguagePair

__all__ = ["ImportResult", "import_language", "import_pair"]

MODEL: Final = "lm.binary"
COUNTS: Final = "ngrams.safetensors"
# Of the most frequent words: fewer that a model knows, and it is of another text.
FEWEST_COMMON: Final = 0.5
MOST_CAPITALS: Final = 0.02
# Of both tables' words, those that stand in the other table too.
FEWEST_SHARED: Final = 0.5


@dataclass(frozen=True)
class ImportResult:
    """Manifest of an import, and cautions for the user."""

    manifest: Manifest
    cautions: tuple[str, ...]


def import_language(
    language: str, model: Path, counts: Sequence[Path], folder: Path, licence: str = "unknown", replace: bool = False
) -> ImportResult:
    """lm.binary, ngrams.safetensors and a manifest from an ARPA file or a binary of KenLM, and files of counted n-grams.

    A binary is copied as it is, an ARPA file becomes a trie. InputError names an invalid file, or
    an existing one unless `replace` is set.
    """
    if not replace:
        check_new(folder, [MODEL, COUNTS, MANIFEST])
    counts_read = read_counted_ngrams(counts)
    with folder_aside(folder, replace) as staging:
        _write_model(model, staging / MODEL)
        language_model = open_language_model(staging / MODEL)
        common = _share_of_known(language_model, counts_read)
        save_arrays(counts_read.counts.arrays(), staging / COUNTS)
        manifest = Manifest(
            name=language,
            description="language model and n-gram counts of other programs",
            command=f"assay resources import-lm --language {language}",
            licence=licence,
            inputs={path.name: checksum(path) for path in (model, *counts)},
            files={name: checksum(staging / name) for name in (MODEL, COUNTS)},
            statistics={
                "order": language_model.order,
                "ngrams": list(counts_read.ngrams),
                "frequent_words_in_model": round(common, 4),
            },
        )
        write_manifest(staging, manifest)
    return ImportResult(manifest, tuple(_cautions(counts_read, common)))


def _write_model(model: Path, target: Path) -> None:
    if not model.is_file():
        raise not_a_model(model, "is not there")
    if read_header(model) is not None:
        open_language_model(model)
        shutil.copyfile(model, target)
        return
    open_language_model(model)
    write_kenlm_trie(read_arpa(model), target)


def _share_of_known(model: LanguageModel, counts: CountedNgrams) -> float:
    """Share of the most frequent counted words that the model knows, in [0, 1]."""
    words = [word for word in counts.frequent if word not in ("<s>", "</s>", "<unk>")]
    unknown = model.score(pack_tokens([[word] for word in words])).unknown
    return float(1 - np.mean(unknown)) if words else 0.0


def _cautions(counts: CountedNgrams, common: float) -> list[str]:
    cautions = []
    if common < FEWEST_COMMON:
        cautions.append(
            f"the model knows {common:.0%} of the {min(FREQUENT, len(counts.frequent))} most frequent words of the counts: "
            "they seem to be of other text, or of other tokens"
        )
    if counts.capitals > MOST_CAPITALS:
        cautions.append(
            f"{counts.capitals:.0%} of the words have capitals; features look up words in lower case and will not find them"
        )
    if counts.longer:
        cautions.append(f"{counts.longer} n-grams of more than three words are left out: no feature looks at them")
    cautions += [f"there are no counts of {n}-grams" for n, ngrams in enumerate(counts.ngrams, 1) if not ngrams]
    return cautions


def import_pair(
    pair: LanguagePair,
    forward: Path,
    backward: Path,
    folder: Path,
    condition: ConditionColumn | None = None,
    vocabularies: tuple[Path, Path] | None = None,
    licence: str = "unknown",
    replace: bool = False,
) -> ImportResult:
    """Lexical tables both ways and a manifest: `forward` has p(target word | source word), `backward` p(source word | target word).

    `condition` and the errors are those of `read_translations`; `vocabularies` are GIZA++'s .vcb files of source and target where
    tables have numbers for words. InputError where the tables do not seem to be of the same languages, one turned.
    """
    if not replace:
        check_new(folder, [MANIFEST])
    words = None if vocabularies is None else (read_vocabulary(vocabularies[0]), read_vocabulary(vocabularies[1]))
    forward_table = read_translations(forward, condition, words)
    reverse_words = None if words is None else (words[1], words[0])
    backward_table = read_translations(backward, condition, reverse_words)
    _check_turned(forward, forward_table, backward, backward_table)
    with folder_aside(folder, replace) as staging:
        files = []
        for direction, translations in ((pair, forward_table), (pair.reversed, backward_table)):
            files.append(f"lex.{direction.file_name}.safetensors")
            save_arrays(translations.table().arrays(), staging / files[-1])
        paths = (forward, backward, *(vocabularies or ()))
        manifest = Manifest(
            name=str(pair),
            description="lexical translation tables of other programs in both directions",
            command=f"assay resources import-lexical --pair {pair}",
            licence=licence,
            inputs={path.name: checksum(path) for path in paths},
            files={name: checksum(staging / name) for name in files},
            statistics={
                "rows": len(forward_table.probability),
                "rows_backward": len(backward_table.probability),
                "rows_without_word": forward_table.empty + backward_table.empty,
            },
        )
        write_manifest(staging, manifest)
    return ImportResult(manifest, ())


def _check_turned(forward: Path, forward_table: Translations, backward: Path, backward_table: Translations) -> None:
    """Check that the given words of each table are translations in the other; else InputError (`invalid-table`)."""
    for words, rival_words in (
        (forward_table.condition, backward_table.translation),
        (forward_table.translation, backward_table.condition),
    ):
        distinct = np.unique(words)
        share = np.isin(distinct, np.unique(rival_words)).mean()
        if share < FEWEST_SHARED:
            detail = (
                f"of the words that {forward} has on a side, {share:.0%} stand on the other side of {backward}: "
                "give p(target | source) first, then p(source | target)"
            )
            raise InputError("invalid-table", detail, (str(forward),))
