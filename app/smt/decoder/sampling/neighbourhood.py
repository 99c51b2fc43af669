"""Derivations of sentences as a chain of SampleRank walks among them, with features recomputed where they change.

What changes is little: phrases of a shape that stay have the same scores, orientations depend on spans and order alone, and
language models are asked about the words that changed and the few behind them that still see them.
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
from app.smt.decoder.derivation import Phrase, reordering_columns
from app.smt.decoder.language_models import END
from app.smt.decoder.options import UNKNOWN_SCORE, options_of, words_of_options
from app.smt.decoder.sampling.junctions import joined, sparse_of_shape
from app.smt.decoder.sampling.operators import OPERATORS, Shape, Spans, gloss, neighbours
from app.smt.decoder.system import System
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.samplerank import Neighbours
from app.text.tokenisation import tokens_of

__all__ = ["DerivationNeighbourhood", "Standing"]


@dataclass(frozen=True, eq=False)
class Standing:
    """A derivation, and what each language model says of it in natural logarithms."""

    phrases: tuple[Phrase, ...]
    language: Float64s

    @property
    def text(self) -> str:
        """The translation."""
        return " ".join(word for phrase in self.phrases for word in phrase.words)


@dataclass(frozen=True, eq=False)
class _Made(Sequence[Standing]):
    """The derivations of shapes one after the other, made when they are asked for."""

    shapes: Sequence[Shape]
    language: Float64s

    def __len__(self) -> int:
        return len(self.language)

    def __getitem__(self, place: int) -> Standing:  # type: ignore[override]
        rest = place
        for shape in self.shapes:
            if rest < len(shape):
                places = np.unravel_index(rest, [len(options) for options in shape.choices.values()] or [1])
                phrases = list(shape.phrases)
                for (k, options), chosen in zip(shape.choices.items(), places, strict=False):
                    phrases[k] = options[int(chosen)]
                return Standing(tuple(phrases), self.language[place])
            rest -= len(shape)
        raise IndexError(place)


class DerivationNeighbourhood:
    """Derivations of sentences, and what operators make of them; options and jumps are those of a system's decoder.

    Chains begin with a gloss: the most promising translation of each word, in the order of the source. Features have the
    system's columns, and behind them sparse features by number, as far as they came up, if the system has any.
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
        """`references` are sets of them, each with one a sentence; `distortion` is the configuration's limit where not given."""
        unknown = set(operators) - set(OPERATORS)
        if unknown or not operators:
            raise InputError("invalid-request", f"operators are {', '.join(OPERATORS)}, and not {', '.join(sorted(unknown))}")
        self.system = system
        self._sentences = [_Sentence(system, source) for source in sources]
        self._prepared = metric.prepare(references)
        self._limit = system.ini.limits.distortion if distortion is None else distortion
        self._operators = tuple(operators)

    def __len__(self) -> int:
        return len(self._sentences)

    def first(self, segment: int) -> Neighbours:
        """A gloss, alone."""
        sentence = self._sentences[segment]
        return self._of(segment, Standing((), sentence.language([])), [Shape(gloss(sentence.spans, sentence.length), {})])

    def around(self, segment: int, hypothesis: Standing, rng: np.random.Generator) -> Neighbours:
        """What an operator at a point makes of a derivation, both drawn, and it itself."""
        spans = self._sentences[segment].spans
        return self._of(segment, hypothesis, neighbours(spans, hypothesis.phrases, self._limit, self._operators, rng))

    def _of(self, segment: int, hypothesis: Standing, shapes: Sequence[Shape]) -> Neighbours:
        sentence = self._sentences[segment]
        parts = [self._features(sentence, hypothesis, shape) for shape in shapes]
        features = np.concatenate(parts)
        whole: Float64s | HypothesisFeatures = features
        if self.system.has_sparse:
            whole = HypothesisFeatures(features, joined(self.system, [sparse_of_shape(self.system, shape) for shape in shapes]))
        columns = [self.system.begins_of[name] for name in self.system.model_names]
        made = _Made(shapes, features[:, columns])
        texts = [text for shape in shapes for text in _texts(shape)]
        statistics = self._prepared.statistics(texts, np.full(len(texts), segment))
        here = 0
        for k, options in shapes[0].choices.items():
            here = here * len(options) + options.index(shapes[0].phrases[k])
        return Neighbours(made, whole, np.asarray(statistics, np.float64), here)

    def _features(self, sentence: "_Sentence", hypothesis: Standing, shape: Shape) -> Float64s:
        """Features of all derivations of a shape: sums of what each phrase adds, jumps, and language models."""
        system = self.system
        columns = [(model, reordering_columns(model.kind, shape.phrases)) for model in system.reordering]
        alone = np.zeros(len(system.weights))
        choices: list[Float64s] = []
        for k, phrase in enumerate(shape.phrases):
            options = shape.choices.get(k, (phrase,))
            if len(options) > 1:
                own = sentence.features(options)
                rows = np.array([option.row for option in options])
                for model, of_phrases in columns:
                    for column in of_phrases[k]:
                        own[:, model.begin + column] += np.where(rows >= 0, model.scores[rows, column], 0.0)
                choices.append(own)
                continue
            alone += sentence.features(options)[0]
            for model, of_phrases in columns:
                for column in of_phrases[k] if options[0].row >= 0 else ():
                    alone[model.begin + column] += model.scores[options[0].row, column]
        total = alone[None]
        for own in choices:
            total = (total[:, None] + own[None]).reshape(-1, len(alone))
        jumps = sum(abs(after.start - before.end) for before, after in pairwise([Phrase(0, 0, (), -1), *shape.phrases]))
        begin = system.begin_of("Distortion")
        if begin is not None:
            total[:, begin] -= jumps
        models = [system.begins_of[name] for name in system.model_names]
        if shape.phrases:
            # An empty sentence is not translated, and its score is 0.
            total[:, models] = sentence.languages(hypothesis, shape)
        return total


class _Sentence:
    """What is looked up of a sentence once: its options by span, their words in numbers, and what each adds wherever it stands."""

    def __init__(self, system: System, source: str) -> None:
        self._system = system
        self._tokens = tokens_of(source)
        self.length = len(self._tokens)
        if self.length > LONGEST_SENTENCE:
            raise InputError("segment-too-long", f"a sentence has at most {LONGEST_SENTENCE} words")
        self._own: dict[tuple[Phrase, int], Float64s] = {}
        self._numbers: dict[Phrase, Int32s] = {}

    @cached_property
    def spans(self) -> Spans:
        """The options of each span, the most promising first."""
        spans: dict[tuple[int, int], list[Phrase]] = {}
        if not self.length:
            return spans
        options = options_of(self._system, self._tokens)
        words = words_of_options(self._system, options, self._tokens)
        for o, (start, end, row) in enumerate(
            zip(options.starts.tolist(), options.ends.tolist(), options.rows.tolist(), strict=True)
        ):
            phrase = Phrase(start, end, tuple(words[o]), row, None, tuple(self._tokens[start:end]))
            spans.setdefault((start, end), []).append(phrase)
            self._numbers[phrase] = options.words[options.offsets[o] : options.offsets[o + 1]].copy()
        for t in range(self.length):
            # A word that a table has in no phrase by itself is unknown there: an option of its own.
            assert spans[t, t + 1]
        return spans

    def features(self, choices: Sequence[Phrase]) -> Float64s:
        """What each option of a span adds wherever it stands, in the system's columns: an array of the caller's own."""
        key = (choices[0], len(choices))
        values = self._own.get(key)
        if values is None:
            values = self._own[key] = self._features(choices)
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
        """What each model says of a whole translation."""
        return self._system.models.of_numbers(np.concatenate([np.zeros(0, np.int32), *words]))

    def languages(self, hypothesis: Standing, shape: Shape) -> Float64s:
        """What each model says of every derivation of a shape that comes from a hypothesis; (derivations, models).

        What stands before the first phrase that differs and behind the last one is that of the hypothesis.
        """
        old, new = hypothesis.phrases, shape.phrases
        if not hypothesis.phrases:
            return self.language([self._numbers[phrase] for phrase in new])[None]
        if not shape.choices:
            return hypothesis.language[None]
        first, last = min(shape.choices), max(shape.choices) + 1
        behind = len(new) - last
        reach = self._system.models.longest_context
        before = self._joined(new[:first])
        after = np.append(self._joined(new[last:]), np.int32(END))[:reach]
        begins = len(before) < reach
        context = before if begins else before[len(before) - reach :]
        middles = [[self._numbers[choice] for choice in shape.choices.get(k, (new[k],))] for k in range(first, last)]
        windows = [[context, self._joined(old[first : len(old) - behind]), after]]
        windows += [[context, *middle, after] for middle in product(*middles)]
        pieces = [np.concatenate(window) for window in windows]
        offsets = np.array([0, *accumulate(map(len, pieces))])
        scores = self._system.models.of_windows(np.concatenate(pieces), offsets, len(context), begins)
        languages: Float64s = hypothesis.language + scores[1:] - scores[0]
        return languages

    def _joined(self, phrases: Sequence[Phrase]) -> Int32s:
        return np.concatenate([np.zeros(0, np.int32), *(self._numbers[phrase] for phrase in phrases)]).astype(np.int32)


def _texts(shape: Shape) -> Iterator[str]:
    of_phrase: Mapping[int, list[str]] = {k: [" ".join(choice.words) for choice in row] for k, row in shape.choices.items()}
    texts = [of_phrase.get(k, [" ".join(phrase.words)]) for k, phrase in enumerate(shape.phrases)]
    return (" ".join(filter(None, row)) for row in product(*texts))
