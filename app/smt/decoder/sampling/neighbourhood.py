"""Neighbourhoods of derivations for chains of SampleRank, with features recomputed where they change.

Little changes within a shape. Phrases that stay have constant scores, and orientations depend on spans and order alone. Language
models score only the changed words, and the next few words that see them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, product

import numpy as np

from app.arrays import Float64s, Int32s
from app.errors import InputError
from app.metrics import Metric
from app.smt.decoder.decoder import LONGEST_SENTENCE
from app.smt.decoder.derivation import Phrase
from app.smt.decoder.language_models import END
from app.smt.decoder.options import UNKNOWN_SCORE, OptionWords, options_of
from app.smt.decoder.reordering import ReorderingType
from app.smt.decoder.sampling.junctions import joined_rows, sparse_of_shape
from app.smt.decoder.sampling.operators import OPERATORS, DerivationShape, Spans, gloss, neighbours
from app.smt.decoder.system import System
from app.smt.decoder.tuning.orientation_kernels import orientations
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.samplerank.neighbourhood import Neighbours
from app.text.tokenisation import tokens_of

__all__ = ["DerivationNeighbourhood", "ScoredDerivation"]


@dataclass(frozen=True, eq=False)
class ScoredDerivation:
    """A derivation, and its score in each language model, in natural logarithms."""

    phrases: tuple[Phrase, ...]
    language: Float64s

    @property
    def text(self) -> str:
        """Translation, its words with one blank between them."""
        return " ".join(word for phrase in self.phrases for word in phrase.words)


@dataclass(frozen=True, eq=False)
class _DerivationsOfShapes(Sequence[ScoredDerivation]):
    """Lazy sequence of the derivations of shapes."""

    shapes: Sequence[DerivationShape]
    language: Float64s

    def __len__(self) -> int:
        return len(self.language)

    def __getitem__(self, place: int) -> ScoredDerivation:  # type: ignore[override]
        offset = place
        for shape in self.shapes:
            if offset < len(shape):
                option_indices = np.unravel_index(offset, [len(options) for options in shape.choices.values()] or [1])
                phrases = list(shape.phrases)
                for (k, options), option_index in zip(shape.choices.items(), option_indices, strict=False):
                    phrases[k] = options[int(option_index)]
                return ScoredDerivation(tuple(phrases), self.language[place])
            offset -= len(shape)
        raise IndexError(place)


class DerivationNeighbourhood:
    """Derivations of sentences and their neighbours by operators; options and jumps are those of a system's decoder.

    Chains begin with a gloss: the most promising translation of each word, in source order. Features have the system's columns,
    then sparse features by number, as far as they have appeared, if the system has any.
    """

    def __init__(
        self,
        system: System,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        metric: Metric,
        distortion: int | None = None,
        operators: Sequence[str] = OPERATORS,
    ) -> None:
        """Take `references` as sets with one reference for each sentence; `distortion` is the configuration's limit by default."""
        unknown = set(operators) - set(OPERATORS)
        if unknown or not operators:
            raise InputError("invalid-request", f"operators are {', '.join(OPERATORS)}, and not {', '.join(sorted(unknown))}")
        self.system = system
        self._sentences = [_Sentence(system, source) for source in sources]
        self._reference_statistics = metric.prepare(references)
        self._limit = system.ini.limits.distortion if distortion is None else distortion
        self._operators = tuple(operators)

    def __len__(self) -> int:
        return len(self._sentences)

    def first(self, segment: int) -> Neighbours:
        """Neighbourhood of a gloss alone."""
        sentence = self._sentences[segment]
        return self._of(
            segment, ScoredDerivation((), sentence.language([])), [DerivationShape(gloss(sentence.spans, sentence.length), {})]
        )

    def around(self, segment: int, hypothesis: ScoredDerivation, rng: np.random.Generator) -> Neighbours:
        """A derivation and its neighbours by an operator at a point, both drawn at random."""
        spans = self._sentences[segment].spans
        return self._of(segment, hypothesis, neighbours(spans, hypothesis.phrases, self._limit, self._operators, rng))

    def _of(self, segment: int, hypothesis: ScoredDerivation, shapes: Sequence[DerivationShape]) -> Neighbours:
        sentence = self._sentences[segment]
        parts = [self._features(sentence, hypothesis, shape) for shape in shapes]
        features = np.concatenate(parts)
        matrix: Float64s | HypothesisFeatures = features
        if self.system.has_sparse:
            matrix = HypothesisFeatures(
                features, joined_rows(self.system, [sparse_of_shape(self.system, shape) for shape in shapes])
            )
        columns = [self.system.begins_of[name] for name in self.system.model_names]
        derivations = _DerivationsOfShapes(shapes, features[:, columns])
        texts = [text for shape in shapes for text in _texts(shape)]
        statistics = self._reference_statistics.statistics(texts, np.full(len(texts), segment))
        current = 0
        for k, options in shapes[0].choices.items():
            current = current * len(options) + options.index(shapes[0].phrases[k])
        return Neighbours(derivations, matrix, np.asarray(statistics, np.float64), current)

    def _features(self, sentence: "_Sentence", hypothesis: ScoredDerivation, shape: DerivationShape) -> Float64s:
        """Features of all derivations of a shape, from phrases, jumps and language models; shape (derivations, columns)."""
        system = self.system
        columns = [(model, _reordering_columns(model.kind, shape.phrases)) for model in system.reordering]
        constant = np.zeros(len(system.weights))
        choices: list[Float64s] = []
        for k, phrase in enumerate(shape.phrases):
            options = shape.choices.get(k, (phrase,))
            if len(options) > 1:
                choice_features = sentence.features(options)
                rows = np.array([option.row for option in options])
                for model, of_phrases in columns:
                    for column in of_phrases[k]:
                        choice_features[:, model.begin + column] += np.where(rows >= 0, model.scores[rows, column], 0.0)
                choices.append(choice_features)
                continue
            constant += sentence.features(options)[0]
            for model, of_phrases in columns:
                for column in of_phrases[k] if options[0].row >= 0 else ():
                    constant[model.begin + column] += model.scores[options[0].row, column]
        total = constant[None]
        for choice_features in choices:
            total = (total[:, None] + choice_features[None]).reshape(-1, len(constant))
        jumps = sum(abs(phrase.start - previous.end) for previous, phrase in pairwise([Phrase(0, 0, (), -1), *shape.phrases]))
        begin = system.begin_of("Distortion")
        if begin is not None:
            total[:, begin] -= jumps
        models = [system.begins_of[name] for name in system.model_names]
        if shape.phrases:
            # An empty sentence is not translated, and its score is 0.
            total[:, models] = sentence.languages(hypothesis, shape)
        return total


class _Sentence:
    """Cache of a sentence: its options by span, their words in numbers, and their features in any context."""

    def __init__(self, system: System, source: str) -> None:
        self._system = system
        self._tokens = tokens_of(source)
        self.length = len(self._tokens)
        if self.length > LONGEST_SENTENCE:
            raise InputError("segment-too-long", f"a sentence has at most {LONGEST_SENTENCE} words")
        self._option_features: dict[tuple[Phrase, int], Float64s] = {}
        self._numbers: dict[Phrase, Int32s] = {}

    @cached_property
    def spans(self) -> Spans:
        """Options of each span, the most promising first."""
        spans: dict[tuple[int, int], list[Phrase]] = {}
        if not self.length:
            return spans
        options = options_of(self._system, self._tokens)
        words = list(OptionWords(self._system, options, self._tokens))
        for o, (start, end, row) in enumerate(
            zip(options.starts.tolist(), options.ends.tolist(), options.rows.tolist(), strict=True)
        ):
            phrase = Phrase(start, end, tuple(words[o]), row, None, tuple(self._tokens[start:end]))
            spans.setdefault((start, end), []).append(phrase)
            self._numbers[phrase] = options.words[options.offsets[o] : options.offsets[o + 1]].copy()
        for t in range(self.length):
            # A word without a phrase of its own is an unknown word, so each word has an option.
            assert spans[t, t + 1]
        return spans

    def features(self, choices: Sequence[Phrase]) -> Float64s:
        """Features of each option in any context, as a copy; shape (options, columns)."""
        key = (choices[0], len(choices))
        values = self._option_features.get(key)
        if values is None:
            values = self._option_features[key] = self._features(choices)
        return values.copy()

    def _features(self, choices: Sequence[Phrase]) -> Float64s:
        system = self._system
        values = np.zeros((len(choices), len(system.weights)))
        rows = np.array([choice.row for choice in choices])
        values[:, system.table_columns] = np.where(rows[:, None] >= 0, system.rows.scores[rows] if len(system.rows) else 0.0, 0.0)
        numbers = {
            "WordPenalty": np.array([-float(len(choice.words)) for choice in choices]),
            "PhrasePenalty": np.ones(len(choices)),
            "UnknownWordPenalty": np.where(rows < 0, UNKNOWN_SCORE, 0.0),
        }
        for feature in system.features:
            if feature.kind in numbers:
                values[:, system.begins_of[feature.name]] = numbers[feature.kind]
        return values

    def language(self, words: Sequence[Int32s]) -> Float64s:
        """Score of a translation in each model; shape (models,)."""
        return self._system.models.of_numbers(np.concatenate([np.zeros(0, np.int32), *words]))

    def languages(self, hypothesis: ScoredDerivation, shape: DerivationShape) -> Float64s:
        """Score of every derivation of a shape in each model; shape (derivations, models).

        The derivations share all phrases before the first changed one and behind the last one with the hypothesis.
        """
        old_phrases, new_phrases = hypothesis.phrases, shape.phrases
        if not hypothesis.phrases:
            return self.language([self._numbers[phrase] for phrase in new_phrases])[None]
        if not shape.choices:
            return hypothesis.language[None]
        first, last = min(shape.choices), max(shape.choices) + 1
        tail_length = len(new_phrases) - last
        context_limit = self._system.models.longest_context
        head = self._word_numbers(new_phrases[:first])
        tail = np.append(self._word_numbers(new_phrases[last:]), np.int32(END))[:context_limit]
        begins = len(head) < context_limit
        context = head if begins else head[len(head) - context_limit :]
        middles = [[self._numbers[choice] for choice in shape.choices.get(k, (new_phrases[k],))] for k in range(first, last)]
        windows = [[context, self._word_numbers(old_phrases[first : len(old_phrases) - tail_length]), tail]]
        windows += [[context, *middle, tail] for middle in product(*middles)]
        pieces = [np.concatenate(window) for window in windows]
        offsets = np.array([0, *accumulate(map(len, pieces))])
        scores = self._system.models.of_windows(np.concatenate(pieces), offsets, len(context), begins)
        languages: Float64s = hypothesis.language + scores[1:] - scores[0]
        return languages

    def _word_numbers(self, phrases: Sequence[Phrase]) -> Int32s:
        return np.concatenate([np.zeros(0, np.int32), *(self._numbers[phrase] for phrase in phrases)]).astype(np.int32)


def _reordering_columns(kind: ReorderingType, phrases: Sequence[Phrase]) -> list[list[int]]:
    """Columns of a lexicalised model that count for each phrase, in both directions, whatever its words are."""
    starts, ends = (np.array([getattr(phrase, edge) for phrase in phrases], np.int64) for edge in ("start", "end"))
    towards_previous, towards_next = orientations(starts, ends, np.array([0, len(phrases)]), kind.hierarchical)
    directions = [(kind.columns_of(True), towards_previous)] if kind.backward else []
    directions += [(kind.columns_of(False), towards_next)] if kind.forward else []
    return [[columns[turns[k]] for columns, turns in directions if turns[k] >= 0] for k in range(len(phrases))]


def _texts(shape: DerivationShape) -> Iterator[str]:
    of_phrase: Mapping[int, list[str]] = {k: [" ".join(choice.words) for choice in row] for k, row in shape.choices.items()}
    texts = [of_phrase.get(k, [" ".join(phrase.words)]) for k, phrase in enumerate(shape.phrases)]
    return (" ".join(filter(None, row)) for row in product(*texts))
