"""What a server answers, for type checkers.

Written by ``python -m scripts.client_answers``: change the server's declarations instead.
"""

from typing import Any, Literal, NotRequired, TypedDict, final

__all__ = [
    "Acceptance",
    "AcceptedJudgement",
    "BandRow",
    "BandTotal",
    "Broken",
    "Cautioned",
    "ChangedSegment",
    "ChoiceScores",
    "ColumnAnswer",
    "CombineAnswer",
    "CombineSummary",
    "CombinedSegment",
    "CombinedWordAnswer",
    "CompareAnswer",
    "Contribution",
    "CorrectionAnswer",
    "CorrectionPage",
    "CorrelateAnswer",
    "Counts",
    "CurvePoint",
    "DayUsage",
    "DeletedOfOwner",
    "DerivationRow",
    "Diagnosis",
    "DocumentQuality",
    "DriftAnswer",
    "EmptyAnswer",
    "EvaluateAnswer",
    "Evaluations",
    "Explanation",
    "FeatureName",
    "FeaturesAnswer",
    "FeaturesCatalogue",
    "FeedbackAnswer",
    "FeedbackCounts",
    "FeedbackList",
    "FeedbackPage",
    "FeedbackRecord",
    "FileAnswer",
    "FilterSummary",
    "GapTag",
    "HeldOutAnswer",
    "JobAnswer",
    "JobList",
    "JobProgress",
    "KeptFeedback",
    "KeyUsage",
    "LearningPoint",
    "LearntFeedback",
    "LeftOutFeature",
    "LeftOutJudgement",
    "Limits",
    "LooksLike",
    "MadeFile",
    "MbrAnswer",
    "MbrSegment",
    "MbrSummary",
    "Me",
    "MeasuredAnswer",
    "MeasuredCombination",
    "MetricScore",
    "MetricsCatalogue",
    "ModelCard",
    "ModelDetails",
    "ModelEvaluation",
    "ModelList",
    "ModelSummary",
    "MonthUsage",
    "MovingFeature",
    "NewPair",
    "NgramsAnswer",
    "OracleAnswer",
    "OwnerDeletion",
    "OwnerUsage",
    "PhraseRow",
    "PredictedAnswer",
    "PromotionAnswer",
    "QualityAnswer",
    "RankAnswer",
    "RankedCandidate",
    "RateLimit",
    "ReadingAnswer",
    "ReasonOf",
    "RecipeAnswer",
    "RelevanceRow",
    "Remainder",
    "RerankAnswer",
    "RerankSummary",
    "RerankedHypothesis",
    "RerankedSegment",
    "ResourcesAnswer",
    "RunAnswer",
    "ScoreAnswer",
    "SegmentDiagnosis",
    "SegmentGain",
    "SegmentOrder",
    "SegmentQuality",
    "SegmentWordOrder",
    "SegmentWords",
    "SegmentsComparison",
    "SelectAnswer",
    "SelectedSegment",
    "Standing",
    "StepAnswer",
    "StoredAnswer",
    "StoredMetricAnswer",
    "StoredReferencesAnswer",
    "TermsAnswer",
    "TestAnswer",
    "TestedPair",
    "TrainAnswer",
    "TrainedTask",
    "TrainedTasks",
    "TranslateAnswer",
    "TranslatedSegment",
    "TuneAnswer",
    "TuningRun",
    "UsageAnswer",
    "WarningOf",
    "WeightSpread",
    "WeightsAnswer",
    "WordOrderAnswer",
    "WordTag",
    "WordTaggerCard",
    "WordTaggerSummary",
    "WordsAnswer",
]

Json = dict[str, Any]


class LearningPoint(TypedDict):
    """How good predictions are after so many labels of a pair were learned from: the mean over pairs that were left out."""

    labels: int
    pearson: float
    mae: float


class NewPair(TypedDict):
    """What an answer rests on where nothing was built for the languages, and what labels of theirs would bring.

    The `curve` begins without labels; it is that of a job train with the model as base, measured on each shipped pair left out.
    """

    rests_on: str
    curve: list[LearningPoint]


class Cautioned(TypedDict):
    """What to know of an answer, as that a model was trained with other resources than are loaded; there where it was."""

    cautions: NotRequired[list[str]]
    new_pair: NotRequired[NewPair]


class ModelSummary(Cautioned):
    """A predictor, and what its scores are."""

    model: str
    label: str
    unit: str
    direction: str


class Explanation(TypedDict):
    """How contributions came about: baseline and contributions add up to the score, before that is cut to the label's range."""

    method: Literal["exact", "sampled"]
    baseline: float
    orders: int | None  # Orders of the features that were sampled
    seed: int | None


class Contribution(TypedDict):
    """How far one feature moved the score away from the baseline (Shapley value)."""

    feature: str
    name: str
    contribution: float


class ReasonOf(TypedDict):
    """Why a segment may be worth a look, and the phrases it is about; evidence beside the score, not a part of it."""

    code: str
    text: str
    source: list[str]
    translation: list[str]


class WarningOf(TypedDict):
    """A check that did not pass, and the words it is about."""

    code: str
    source: list[str]
    translation: list[str]
    looks_like: NotRequired[str]  # Of a text in a wrong language: the one that it looks like


class WordTag(TypedDict):
    """A word, where it stands in its text (in characters, null if it is not there as it is), and its tag."""

    text: str
    start: int | None
    end: int | None
    tag: Literal["OK", "BAD"]
    bad: float  # Probability of BAD


class GapTag(TypedDict):
    """A gap: BAD where words are missing."""

    tag: Literal["OK", "BAD"]
    bad: float  # Probability of BAD


class SegmentQuality(TypedDict):
    """Quality of one segment; `confidence` runs from 0 (worst) to 1 (best) whatever the label."""

    score: float
    std: float
    interval: list[float]
    confidence: float
    source_words: int
    source_tokens: int
    translation_tokens: int
    grade: NotRequired[float]
    grade_probabilities: NotRequired[list[float]]
    contributions: NotRequired[list[Contribution]]
    reasons: NotRequired[list[ReasonOf]]
    band: NotRequired[str]
    warnings: NotRequired[list[WarningOf]]
    bad_probability: NotRequired[float]  # That the label is worse than accept.at_worst
    accept: NotRequired[bool]
    words: NotRequired[list[WordTag]]
    gaps: NotRequired[list[GapTag]]
    source_tags: NotRequired[
        list[WordTag]
    ]  # Words of the source, BAD where not translated or wrongly; in the profile accurate alone
    truncated: NotRequired[bool]  # True where a text is so long that only its first tokens were looked at


class BandRow(TypedDict):
    """Segments and source words in one band, and those words at its rate."""

    name: str
    at_least: float | None  # Null where acceptance alone decides
    rate: float
    segments: int
    source_words: int
    share: float
    paid_words: float
    paid: NotRequired[float]  # In the currency


class BandTotal(TypedDict):
    """The sum of the bands."""

    segments: int
    source_words: int
    paid_words: float
    paid: NotRequired[float]


class TermsAnswer(TypedDict):
    """What the bands rest on, and what of it is assumed."""

    basis: Literal["risk", "bands"]  # Whether bands follow from the risk or were given
    unseen: Literal["all-paid", "unknown", "nothing", "some"]  # What is paid at 0; unknown: nothing says what an error is
    at_worst: float | None
    error_rate: float | None
    currency: str | None
    word_price: float | None
    assumption: str


class Acceptance(TypedDict):
    """What passes, and how many errors are expected among it; nothing passes where the threshold is null."""

    at_worst: float
    error_rate: float
    threshold: float | None
    accepted: int
    expected_errors: float
    meaning: str


class DocumentQuality(TypedDict):
    """Quality of all segments together: the plain mean, and the mean weighted by translation length."""

    score: float | None
    weighted_score: float | None
    confidence: float | None
    segments: int
    source_tokens: int
    translation_tokens: int
    source_words: int
    bands: NotRequired[list[BandRow]]
    total: NotRequired[BandTotal]
    terms: NotRequired[TermsAnswer]
    warnings: NotRequired[dict[str, int]]  # Segments per check
    acceptance: NotRequired[Acceptance]


@final
class PredictedAnswer(ModelSummary):
    """Answer of POST /v1/quality."""

    pair: str  # The loaded pair that answers: ro-en, also where ro-RO was named
    interval: float
    explanation: NotRequired[Explanation]
    word_model: NotRequired[str]
    segments: list[SegmentQuality]
    document: DocumentQuality


class WordTaggerSummary(Cautioned):
    """A word tagger, and its Matthews correlation coefficients as its card has them."""

    model: str
    level: str
    mcc: float
    gap_mcc: float


class SegmentWords(TypedDict):
    """The words of a segment and the gaps around them, one more than words; and those of its source where they are tagged."""

    words: list[WordTag]
    gaps: list[GapTag]
    source_tags: NotRequired[
        list[WordTag]
    ]  # Words of the source, BAD where not translated or wrongly; in the profile accurate alone
    truncated: NotRequired[bool]  # True where a text is so long that only its first tokens were looked at


@final
class WordsAnswer(WordTaggerSummary):
    """Tags of all segments; `mcc` is measured on the card's data."""

    pair: str  # The loaded pair that answers: ro-en, also where ro-RO was named
    segments: list[SegmentWords]


class FeatureName(TypedDict):
    """A column of the answer."""

    id: str
    name: str


class LeftOutFeature(FeatureName):
    """A feature of the set that could not be computed."""

    reason: str


class FeaturesAnswer(TypedDict):
    """Values in the order of `features`, rows in the order of the request."""

    pair: str  # The loaded pair that answers: ro-en, also where ro-RO was named
    features: list[FeatureName]
    left_out: list[LeftOutFeature]
    values: list[list[float]]
    truncated: NotRequired[list[int]]  # Segments so long that only their first tokens were looked at
    cautions: NotRequired[list[str]]  # What licences of checkpoints forbid


class RankedCandidate(TypedDict):
    """A candidate with its predicted score."""

    system: str
    score: float
    std: float
    warnings: NotRequired[list[WarningOf]]
    truncated: NotRequired[bool]  # True where a text is so long that only its first tokens were looked at


class SegmentOrder(TypedDict):
    """Candidates from best to worst."""

    order: list[RankedCandidate]
    confidence: float


class Standing(TypedDict):
    """A system over all segments."""

    system: str
    segments: int
    wins: float
    mean: float
    interval: list[float] | None  # Of the mean, 95 %, by resampled segments; null of a system with one segment
    confidence: float | None  # Share of resamples in which no system has a better mean; null of a system with one segment
    warnings: NotRequired[dict[str, int]]  # Segments per check


class RankAnswer(ModelSummary):
    """Segments in the order of the request, systems from best to worst."""

    pair: str  # The loaded pair that answers: ro-en, also where ro-RO was named
    segments: list[SegmentOrder]
    systems: list[Standing]


class MetricScore(TypedDict):
    """One system by one metric."""

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    range: list[float | None]  # Lowest and highest score, null where there is no bound
    signature: str
    confidence_interval: NotRequired[list[float]]
    bootstrap_mean: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    wins: NotRequired[int]
    losses: NotRequired[int]
    ties: NotRequired[int]
    letters: NotRequired[str]
    stored: NotRequired[bool]  # Whether these are the scores that were stored
    segments: NotRequired[list[float]]


class TestAnswer(TypedDict):
    """How differences were tested."""

    name: str
    meaning: str
    seed: int
    resamples: int
    trials: NotRequired[int]


class RunAnswer(TypedDict):
    """A system over its runs."""

    system: str
    metric: str
    runs: list[str]
    mean: float
    selection_deviation: float
    optimiser_deviation: NotRequired[float]
    difference: NotRequired[float]
    p_value: NotRequired[float]
    corrected_p_value: NotRequired[float]
    stored: NotRequired[bool]


class StoredReferencesAnswer(TypedDict):
    """What the scores were computed against."""

    count: int
    sha256: str


class StoredMetricAnswer(TypedDict):
    """For each run of the system a row of sufficient statistics for every segment."""

    metric: str
    signature: str
    statistics: list[list[list[float]]]


class StoredAnswer(TypedDict):
    """What to keep for later comparisons, and to give as `significance.stored`."""

    format: str
    version: int
    system: str
    segments: int
    references: StoredReferencesAnswer
    metrics: list[StoredMetricAnswer]


class EmptyAnswer(TypedDict):
    """What was done with empty segments, and how many there are."""

    policy: str
    segments: int


class ScoreAnswer(TypedDict):
    """One entry of `metrics` per metric and system."""

    metrics: list[MetricScore]
    test: NotRequired[TestAnswer]
    runs: NotRequired[list[RunAnswer]]
    stored: NotRequired[StoredAnswer]
    empty: EmptyAnswer
    cautions: NotRequired[list[str]]  # What to know of neural metrics: licences, texts that were cut


class NgramsAnswer(TypedDict):
    """N-grams that the system gets right more often, and those that it gets right less often."""

    better: list[Json]
    worse: list[Json]


class SegmentGain(TypedDict):
    """A segment, from 0, and by how much the system is better there (below 0 where it is worse)."""

    segment: int
    gain: float


class SegmentsComparison(TypedDict):
    """How often the system is better by a metric, and where most."""

    metric: str
    wins: int
    losses: int
    ties: int
    most_improved: list[SegmentGain]
    most_worsened: list[SegmentGain]


class CompareAnswer(TypedDict):
    """N-grams, scores by reference length, words by frequency, and segments."""

    ngrams: NgramsAnswer
    lengths: list[Json]
    frequencies: list[Json]
    segments: list[SegmentsComparison]


class TestedPair(TypedDict):
    """Two metrics against each other."""

    metric: str
    other: str
    williams_p_value: float
    permutation_p_value: float
    meaning: str


class CorrelateAnswer(TypedDict):
    """Per metric its agreements by name, and `epsilon` where a tie was calibrated."""

    metrics: list[Json]
    tests: NotRequired[list[TestedPair]]


class SegmentWordOrder(TypedDict):
    """The permutation of a segment's linked words, the measures of it, and its scores, which weigh words against order."""

    permutation: list[int]
    measures: dict[str, float]
    scores: dict[str, float]


class WordOrderAnswer(TypedDict):
    """Segments in the order of the request."""

    segments: list[SegmentWordOrder]
    unit: str
    direction: str


@final
class ModelEvaluation(ModelSummary):
    """Measured accuracy, and how far intervals can be trusted, with the model they are of."""

    accuracy: dict[str, float]
    accuracy_intervals: dict[str, list[float]]
    negative_log_density: float
    calibration: list[Json]
    p_value_of_best: NotRequired[float | None]  # Among several of one label: that the best is no better than this one


@final
class Evaluations(TypedDict):
    """Several models on the same segments."""

    models: list[ModelEvaluation]


class SelectedSegment(TypedDict):
    """A segment of the pool, counted from 0, and what it is worth."""

    segment: int
    worth: float
    source: str
    translation: str


class SelectAnswer(ModelSummary):
    """The segments that are worth annotating, best first."""

    segments: list[SelectedSegment]


class LeftOutJudgement(TypedDict):
    """A judgement that was not learnt from, and why."""

    id: str
    reason: str


class LearntFeedback(TypedDict):
    """Judgements that a model learnt from, that were held back to compare versions on, and that were left out.

    `incomplete` lack what the model needs beside the texts; `bad` cannot be used at all, and `left_out` names the first thousand.
    """

    used: int
    held_back: int
    incomplete: int
    bad: int
    left_out: list[LeftOutJudgement]


@final
class TrainAnswer(Cautioned):
    """The model that was trained; `promotion` says how it compares with its base, and whether it answers now.

    `feedback` is there where it was to learn from feedback, `cautions` where a good share of the labelled sources is in the text
    that the loaded resources were built from, and where the licence of a checkpoint that it asks forbids commercial use.
    """

    model: str
    label: str
    version: int
    accuracy: Json
    curve: NotRequired[list[Json]]
    feedback: NotRequired[LearntFeedback]
    base: NotRequired[str]
    promotion: NotRequired[Json]


class TrainedTask(TypedDict):
    """The model of one task."""

    task: str
    model: str
    accuracy: Json


@final
class TrainedTasks(Cautioned):
    """The models of tasks that were learned together."""

    models: list[TrainedTask]
    label: str


class ChoiceScores(TypedDict):
    """A choice of one hypothesis per segment: its corpus score by every metric, with 95 % intervals by resampled segments."""

    choice: str
    scores: dict[str, float]
    intervals: dict[str, list[float]]


class FilterSummary(TypedDict):
    """Thresholds of both filters, and the shares of segments above the first, the second, and both."""

    difference: float
    diversity: float
    above_difference: float
    above_diversity: float
    trusted: float


class SegmentDiagnosis(TypedDict):
    """A segment (from 0): the oracle's rank (from 1), its ties, scores by the oracle metric, and both texts."""

    segment: int
    hypotheses: int
    rank: int
    ties: int
    first_score: float
    oracle_score: float
    difference: float
    diversity: float
    reachable: bool
    first: str
    oracle: str


class Diagnosis(TypedDict):
    """Report on lists; ranks count from 1, in list order.

    `on_top` is the share of segments with a first hypothesis as good as the oracle (OBLEU for sBLEU); `model_error` is 1 minus it.
    `reachable` counts segments with a hypothesis that equals a reference word for word. `features` are the components that separate
    oracles best from first hypotheses; `features_left_out` counts the rest.
    """

    segments: int
    without_hypotheses: int
    hypotheses: int
    longest: int
    oracle_metric: str
    choices: list[ChoiceScores]
    on_top: float
    model_error: float
    ranks: dict[str, int]
    mean_rank: float
    ties: float
    reachable: int
    filters: FilterSummary
    features: list[dict[str, float | str | int]]
    features_left_out: int
    rows: list[SegmentDiagnosis]


class OracleAnswer(Diagnosis):
    """What the lists hold."""


class HeldOutAnswer(TypedDict):
    """The same weights on lists that were held out; `segments` are those that have hypotheses."""

    segments: int
    score: float
    confidence_interval: list[float]
    first_score: float
    start_score: float


class CurvePoint(TypedDict):
    """The corpus score after so many iterations."""

    iteration: int
    score: float


class TuningRun(TypedDict):
    """What one seed gave."""

    seed: int
    score: float
    held_out_score: NotRequired[float]
    weights: dict[str, list[float]]
    curve: list[CurvePoint]
    notes: Json


class WeightSpread(TypedDict):
    """A component (from 1) of a feature: its weight and effect, and their spread over all runs.

    `effect` is the weight times `unit` (the standard deviation of the feature within lists), as a signed share of all effects. It
    does not depend on the units of features. Constant features have no effect.
    """

    feature: str
    component: int
    weight: float
    effect: float
    unit: float
    mean: float
    deviation: float
    lowest: float
    highest: float
    effect_mean: float
    effect_deviation: float
    effect_lowest: float
    effect_highest: float


class WeightsAnswer(TypedDict):
    """A file of weights: of each feature its components, and a card."""

    format: str
    version: int
    weights: dict[str, list[float]]
    card: Json


class ChangedSegment(TypedDict):
    """A segment, from 0: the decoder's first hypothesis, and what the weights choose; `place` is its place in the list, from 1."""

    segment: int
    source: NotRequired[str]
    references: list[str]
    first: str
    chosen: str
    place: int
    first_score: float
    chosen_score: float
    gain: float  # How much better the chosen one scores; what is worse is below 0


class TuneAnswer(Cautioned):
    """Weights, of the run that is best on the lists that were tuned on or the mean of all, and what they are worth.

    `cautions` are there where they were tuned on so few segments that they may be worth nothing on other text.
    """

    method: str
    metric: str
    unit: str
    direction: str
    signature: str
    take: str
    without_hypotheses: int  # Segments whose lists are empty; they are left out of all scores
    dev_score: float
    confidence_interval: list[float]
    first_score: float
    start_score: float
    oracle_score: float  # What the hypotheses that are best by themselves would score together
    mean: float
    deviation: float
    held_out: NotRequired[HeldOutAnswer]
    runs: list[TuningRun]
    spread: list[WeightSpread]
    constant: list[str]
    weights: WeightsAnswer
    segments: list[ChangedSegment]


class MbrSummary(TypedDict):
    """How expected scores were made, and how many segments have another translation than the first of their list."""

    metric: str
    signature: str
    direction: str
    way: str
    candidates: int
    pairs: int
    moved: int


class MbrSegment(TypedDict):
    """The candidate that was chosen, counted from 0 in its list; null and without text where there are none."""

    chosen: int | None
    text: NotRequired[str]
    expected: NotRequired[float]
    system: NotRequired[str]
    scores: NotRequired[list[float | None]]  # Null where a candidate was left out early


class MbrAnswer(MbrSummary):
    """Segments in the order of the request."""

    segments: list[MbrSegment]


class MeasuredCombination(TypedDict):
    """A corpus score with its 95 % interval: of a system, of ``(mbr)``, ``(combined)``, or the ``(oracle)`` among systems."""

    name: str
    score: float
    interval: list[float]


class CombineSummary(TypedDict):
    """The weights, by feature, with one for each system's votes.

    `rounds` are the corpus scores of the segments that were tuned on, as combined by the weights to begin with and by those of each
    round; the weights with the best of them are taken. It is empty where nothing was tuned.
    """

    scores: NotRequired[list[MeasuredCombination]]
    weights: dict[str, list[float]]
    rounds: list[float]
    metric: NotRequired[str]


class CombinedWordAnswer(TypedDict):
    """A word, and the systems that have it there."""

    text: str
    systems: list[str]


class CombinedSegment(TypedDict):
    """The combined text, and the system whose output was its backbone."""

    text: str
    backbone: str
    words: NotRequired[list[CombinedWordAnswer]]


class CombineAnswer(CombineSummary):
    """Segments in the order of the request."""

    segments: list[CombinedSegment]


class MeasuredAnswer(TypedDict):
    """The decoder's first hypotheses beside the chosen ones, all segments together; those without hypotheses are left out.

    Intervals of 95 % are of the same 1,000 resamples, and so is the p-value (paired bootstrap). Segments are `wins` where the
    chosen one scores better than the first, `losses` where it scores worse.
    """

    metric: str
    unit: str
    direction: str
    signature: str
    segments: int
    first_score: float
    first_interval: list[float]
    chosen_score: float
    chosen_interval: list[float]
    gain: float  # How much better the chosen ones score; what is worse is below 0
    gain_interval: list[float]
    p_value: float
    wins: int
    losses: int
    ties: int


class RerankSummary(TypedDict):
    """What a job says beside its segments, which stand in its result.

    `changed` is the number of lists that another hypothesis leads now, `mean_rank` the mean place, from 0, that the first had.
    `unused` are features that have weights but that neither lists nor `computed` have. `measured` is there with references.
    """

    lists: int
    changed: int
    mean_rank: float
    computed: list[str]
    unused: list[str]
    measured: NotRequired[MeasuredAnswer]


class MovingFeature(TypedDict):
    """A feature, and what it adds to the score of the chosen hypothesis beyond what it adds to the first one's."""

    feature: str
    contribution: float


class RerankedHypothesis(TypedDict):
    """A hypothesis, `rank` being its place in the list that came, from 0.

    `contributions` are what its features add to `score`; `features` those that were computed; `expected` its expected metric score.
    """

    rank: int
    text: str
    score: NotRequired[float]
    contributions: NotRequired[dict[str, float]]
    features: NotRequired[dict[str, float]]
    expected: NotRequired[float]


class RerankedSegment(TypedDict):
    """The best hypotheses of a list; none where it was empty.

    With `changes`, unless it was empty: the decoder's `first` hypothesis, the `chosen` one with its `place` in the list, from 1,
    and the features that `moved` it there, the largest first, by the first weights where several vote. Scores are there with
    references.
    """

    source: NotRequired[str]
    references: NotRequired[list[str]]
    first: NotRequired[str]
    chosen: NotRequired[str]
    place: NotRequired[int]
    first_score: NotRequired[float]
    chosen_score: NotRequired[float]
    gain: NotRequired[float]  # How much better the chosen one scores; what is worse is below 0
    first_expected: NotRequired[float]
    chosen_expected: NotRequired[float]
    moved: NotRequired[list[MovingFeature]]
    hypotheses: list[RerankedHypothesis]


class RerankAnswer(RerankSummary):
    """Lists in the order of the request."""

    segments: list[RerankedSegment]


class MadeFile(TypedDict):
    """A file of a job: SHA-256, bytes, lines where it is text (of gzip the text's); which step made it, null of what was given."""

    name: str
    sha256: str
    bytes: int
    lines: int | None
    step: str | None


class StepAnswer(TypedDict):
    """A step that was run: its line as it would be typed, the version that ran it, what it read and made, what it said."""

    step: str
    command: str
    version: str
    inputs: list[MadeFile]
    outputs: list[MadeFile]
    told: list[str]


class RecipeAnswer(TypedDict):
    """What a recipe made, and step by step how."""

    files: list[MadeFile]
    steps: list[StepAnswer]


class PhraseRow(TypedDict):
    """A phrase: the first word of the source that it translates, the word behind the last, and its own words."""

    source: list[int]
    target: list[str]


class DerivationRow(TypedDict):
    """A translation with its model score and the features that sum up to it, as n-best lists have them."""

    text: str
    score: float
    features: dict[str, list[float]]
    phrases: NotRequired[list[PhraseRow]]
    links: NotRequired[list[list[int]]]  # Source place and target place of linked words


class TranslatedSegment(DerivationRow):
    """The best translation of a segment; `words` are those that were translated, where phrases are wanted."""

    words: NotRequired[list[str]]
    n_best: NotRequired[list[DerivationRow]]


class TranslateAnswer(TypedDict):
    """Segments in the order of the request; `system` is the folder of resources that the system lies in."""

    pair: str  # The loaded pair that answers: ro-en, also where ro-RO was named
    system: str
    lowercase: bool
    tokenise: bool  # Whether text was cut into words here, or words are what stands between blanks
    segments: list[TranslatedSegment]


class AcceptedJudgement(TypedDict):
    """What was kept of one judgement; one that is held back never trains, and compares versions."""

    id: str
    label: str
    value: float
    unit: str
    direction: str


class FeedbackAnswer(TypedDict):
    """What was kept."""

    accepted: int
    feedback: list[AcceptedJudgement]


class FeedbackCounts(TypedDict):
    """How much there is of a pair and label."""

    pair: str
    label: str
    segments: int
    held_back: int


class FeedbackList(TypedDict):
    """What there is."""

    feedback: list[FeedbackCounts]


class FeedbackRecord(TypedDict):
    """A judgement as it is kept; `value` is null where an older version kept what is no number."""

    id: str
    created: str
    pair: str
    label: str
    value: float | None
    held_back: bool
    model: str | None
    origin: str
    owner: str | None
    source: str | None  # Null where what was kept cannot be read any more
    translation: str | None
    post_edit: str | None


class FeedbackPage(TypedDict):
    """Judgements, the newest first."""

    feedback: list[FeedbackRecord]
    next: str | None  # What to send as `after` for the next page; null on the last


class KeptFeedback(FeedbackRecord):
    """One judgement, with what came beside its texts and the models that have learnt from it."""

    evidence: Json  # What came beside the texts, as token_log_probs
    used_by: list[str]  # Models that have learnt from it, and versions that came from these


class ModelCard(Cautioned):
    """A predictor's card, with the checksum of its arrays and more than is named here."""

    id: str
    pair: str
    label: str
    unit: str
    direction: str
    features: list[str]
    learner: str
    training_data: Json
    resources: dict[str, str]  # SHA-256 of the files that its features were computed from
    accuracy: Json


@final
class WordTaggerCard(Cautioned):
    """A word tagger's card."""

    id: str
    pair: str
    word_features: list[str]
    gap_features: list[str]
    resources: dict[str, str]
    accuracy: Json


class Broken(TypedDict):
    """A file or folder that cannot be used, and why; it stops nothing else, and is tried again when it changes."""

    name: str
    reason: str


class ModelList(TypedDict):
    """All predictors, of segments and of words; `broken` is there where something lies in the folders that cannot be used."""

    models: list[ModelCard]
    word_models: list[WordTaggerCard]
    broken: NotRequired[list[Broken]]


class RelevanceRow(TypedDict):
    """How much a feature counts for a model; all add up to 1."""

    feature: str
    name: str
    relevance: float


class DriftAnswer(TypedDict):
    """How far what a model is asked about has moved from what it learned from."""

    segments: int
    index: float
    drifted: bool | None
    meaning: str
    features: list[Json]


@final
class ModelDetails(ModelCard):
    """A predictor's card with what is known of it here: relevance of its features, drift, versions, feedback."""

    baseline: float
    answers: bool  # Whether this model was promoted and is still in force
    relevance: list[RelevanceRow] | None
    drift: DriftAnswer
    versions: list[Json]
    promotions: list[Json]
    feedback: dict[str, int]


class PromotionAnswer(TypedDict):
    """An entry of the record; without a model, the best one by its card answers again."""

    pair: str
    label: str
    model: str | None
    at: str
    reason: str


class ResourcesAnswer(TypedDict):
    """What is loaded, and limits; `encoder` where there is one of sentences, `broken` where a folder cannot be used."""

    pairs: list[str]
    resources: list[Json]
    limits: dict[str, int]
    systems: NotRequired[list[str]]  # Directions that phrase-based systems translate
    encoder: NotRequired[Json]
    broken: NotRequired[list[Broken]]


class FeaturesCatalogue(TypedDict):
    """Every feature and every feature set."""

    features: list[Json]
    sets: list[Json]


class MetricsCatalogue(TypedDict):
    """Every metric, and the trained metrics that are loaded; `broken` is there where one cannot be used."""

    metrics: list[Json]
    trained: list[Json]
    neural: NotRequired[list[Json]]  # Imported checkpoints, where there are some
    broken: NotRequired[list[Broken]]


class LooksLike(TypedDict):
    """The language of each side by its words, null where it is not clear."""

    source_language: str | None
    target_language: str | None


class ColumnAnswer(TypedDict):
    """A column by its number, from 1, and its heading where it has one."""

    column: int
    name: str | None


class ReadingAnswer(TypedDict):
    """What was taken for what in a table. `heading` is the line of the heading, null where every row is a segment."""

    heading: int | None
    basis: Literal["names", "languages", "content", "stated", "places"]
    source: ColumnAnswer
    translation: ColumnAnswer
    labels: list[ColumnAnswer]
    unclear: bool
    sentence: str


class FileAnswer(TypedDict):
    """What a file holds. `pair` is what it says or what its words look like, null where no loaded pair fits."""

    format: str
    title: str
    source_language: str | None  # As the file says
    target_language: str | None
    pair: str | None
    guessed: bool  # Whether the pair comes from the words rather than from the file
    languages: (
        Literal["given", "declared", "guessed"] | None
    )  # Who says what the pair is: the file or its words; null without a pair
    looks_like: LooksLike  # What the words look like, whatever the file says and whatever is loaded
    model: str | None  # The predictor that would be asked
    segments: int
    source_words: int
    skipped: int  # Units without a translation, or not to be translated
    members: list[Json]
    examples: list[dict[str, str]]
    reading: ReadingAnswer | None  # What was taken for what in a table; null for all else


class JobProgress(TypedDict):
    """What is being done inside a chunk or at the end, and which share of it is done."""

    step: str
    share: float | None


class JobAnswer(TypedDict):
    """A job and how far it is; times are of the whole world's clock (ISO 8601, UTC)."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    owner: str | None
    priority: Literal["high", "normal", "low"]
    ahead: int | None  # Of a queued job: jobs of higher priority, and its owner's, that come before it; at most 1000
    done: int
    total: int
    rate: float | None  # Segments per second
    eta: float | None  # Seconds to the end, estimated
    progress: JobProgress | None
    created: str
    started: str | None
    finished: str | None
    error: Json | None
    summary: Json | None
    params: Json
    expired: NotRequired[str]  # When what the job held was deleted, where it was


class JobList(TypedDict):
    """Jobs, the newest first."""

    jobs: list[JobAnswer]
    next: str | None  # What to send as `after` for the next page; null on the last


class CorrectionAnswer(TypedDict):
    """A correction of one segment."""

    segment: int  # Its place in the result, from 1
    text: str | None  # Null where the correction was taken back
    revision: int  # Counts every change, from 1
    author: str | None
    created: str
    changed: str
    feedback: str | None  # Id of the judgement that it became


class CorrectionPage(TypedDict):
    """Corrections of a job in the order of its segments."""

    corrections: list[CorrectionAnswer]
    next: int | None  # What to send as `after` for the next page; null on the last


class RateLimit(TypedDict):
    """The most of a unit in a window of the calendar (UTC), of what is asked with this key, or with all keys of its owner."""

    limit: int
    unit: str  # `segments` or `characters`, of sources
    window: str  # `minute`, `day` or `month`
    of: str  # `key` or `owner`


class Limits(TypedDict):
    """Limits; null where there is none."""

    rates: list[RateLimit]
    jobs_at_once: int | None  # Jobs of the owner that wait or run
    stored_bytes: int | None  # Bytes that the owner keeps


class Me(TypedDict):
    """A caller; names are empty while nobody needs a key, `pairs` and `models` null where they are all."""

    name: str
    owner: str
    scopes: list[str]
    pairs: list[str] | None
    models: list[str] | None
    limits: Limits  # What the key is held to


class Counts(TypedDict):
    """What was asked for."""

    segments: int
    characters: int  # Characters of sources
    requests: int  # Calls that were answered at once
    jobs: int


class DayUsage(Counts):
    """A day, as 2027-01-31 (UTC)."""

    day: str


class MonthUsage(Counts):
    """A month, as 2027-01 (UTC)."""

    month: str


class KeyUsage(Counts):
    """A key in this month."""

    key: str


class OwnerUsage(Counts):
    """An owner in this month."""

    owner: str


class UsageAnswer(TypedDict):
    """What an owner has asked for, the oldest first, and keeps; what nobody asked for is left out."""

    owner: str
    stored_bytes: int  # Bytes of jobs and feedback, as they are kept
    active_jobs: int  # Jobs that wait or run
    days: list[DayUsage]
    months: list[MonthUsage]
    keys: list[KeyUsage]
    owners: list[OwnerUsage] | None  # All owners in this month, for administrators


class DeletedOfOwner(TypedDict):
    """How much was deleted; models by name."""

    jobs: int
    files: int
    feedback: int
    keys: int
    models: list[str]


class Remainder(TypedDict):
    """Something that was not deleted, with names where it has any, and what can be done about it."""

    what: str
    names: list[str]
    why: str


class OwnerDeletion(TypedDict):
    """What became of all that belonged to a person."""

    owner: str
    deleted: DeletedOfOwner
    remains: list[Remainder]


QualityAnswer = PredictedAnswer
EvaluateAnswer = ModelEvaluation | Evaluations
