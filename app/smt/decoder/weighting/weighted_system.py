"""Quality of a system's translations under weights of corpora and of phrase scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.errors import InputError
from app.metrics.definition import Metric
from app.metrics.registry import metric_named
from app.metrics.scoring import segment_statistics
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.corpus.weighting.phrase_scores import PhraseScores
from app.smt.corpus.weighting.sentence_weights import PairScores
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import MosesIni, read_moses_ini
from app.smt.decoder.system import load_system
from app.smt.decoder.text_phrases import TextPhrases
from app.text.reading.lines import TextFile
from app.text.tokenisation import tokens_of

__all__ = ["WeightedSystem"]

TABLE: Final = "PhraseDictionaryMemory"


@dataclass(frozen=True)
class WeightedSystem:
    """A system whose phrase table is built from numbered phrase pairs with weights; other features stay as configured.

    `extracted_folder` is a folder that `extract_phrases` wrote with numbers, and `pairs` are the scores of its text. `config` names
    one phrase table, which the weighted tables replace.
    """

    extracted_folder: Path
    pairs: PairScores
    config: Path
    source: Sequence[str]
    reference: Sequence[str]
    metric: str = "bleu"

    def __post_init__(self) -> None:
        tables = [feature for feature in self._ini.features if feature.kind == TABLE]
        if len(tables) != 1:
            detail = f"{self.config} names {len(tables)} phrase tables; name exactly one for the weights"
            raise InputError("invalid-request", detail, ("--config",))
        if len(self.source) != len(self.reference):
            detail = f"there are {len(self.source)} sources but {len(self.reference)} references; give one for each"
            raise InputError("unequal-lengths", detail, ("--reference",))

    @cached_property
    def _ini(self) -> MosesIni:
        return read_moses_ini(self.config)

    @cached_property
    def _metric(self) -> Metric:
        return metric_named(self.metric)

    def weigher(self, corpora: Mapping[str, float], powers: Mapping[str, float]) -> PhraseScores:
        """Phrase scores with these weights."""
        weights = np.array([corpora[name] for name in self.pairs.labels.names])
        return PhraseScores(replace(self.pairs, corpora=weights), powers)

    def worth(self, corpora: Mapping[str, float], powers: Mapping[str, float]) -> float:
        """Metric's score of the translations under these weights, with its sign turned if lower is better."""
        with TemporaryDirectory() as folder:
            build_tables(self.extracted_folder, Path(folder) / "tables", TableOptions(weigher=self.weigher(corpora, powers)))
            config = Path(folder) / "moses.ini"
            config.write_text(self.configured(Path(folder) / "tables" / PHRASE_TABLE), "utf-8")
            decoder = Decoder(load_system(config, TextPhrases(tokens_of(line) for line in self.source)))
            best = [decoder.translate(line).best() for line in self.source]
        system = ["" if derivation is None else derivation.text for derivation in best]
        (statistics,) = segment_statistics({self.metric: self._metric}, {"system": system}, {"reference": list(self.reference)})
        score = float(self._metric.score(statistics["system"].sum(0, keepdims=True))[0])
        return score if self._metric.higher_is_better else -score

    def configured(self, table: Path) -> str:
        """Text of the configuration with another phrase table; other files get absolute paths."""
        places = {
            (feature.kind, f"{parameter}={path_in_text}"): (parameter, feature)
            for feature, parameter, path_in_text in self._ini.written_files
        }
        lines, section = [], ""
        # As in `read_moses_ini`, text behind a # is a comment.
        for line in TextFile.of(self.config).lines():
            words = line.partition("#")[0].split()
            section = words[0] if words and words[0].startswith("[") else section
            if section == "[weight-file]" and self._ini.weight_file and words and words[0] != section:
                words = [str(self._ini.weight_file.absolute())]
            for k, word in enumerate(words[1:], 1):
                if section != "[feature]":
                    continue
                if (words[0], word) in places:
                    parameter, feature = places[words[0], word]
                    file = table if words[0] == TABLE else self._ini.path(feature, parameter)
                    words[k] = f"{parameter}={file.absolute()}"
                elif word.startswith("path=") and word != "path=*":
                    detail = f"{self.config.name} names two files of a feature, {word.removeprefix('path=')} and another; keep one"
                    raise InputError("invalid-request", detail, ("--config",))
            lines.append(" ".join(words))
        return "\n".join(lines) + "\n"
