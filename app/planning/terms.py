"""Terms of payment for the words of a document: bands, accepted risk, a price, and the assumptions among them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from app.errors import InputError
from app.planning.acceptance import usual_worst
from app.planning.bands import Band, BandReport, report_bands, risk_bands
from app.predictors.labels import CRITICAL, Label

__all__ = ["ASSUMPTIONS", "USUAL_RISK", "Terms", "assumptions", "error_is_critical", "money_rows", "sentence_of"]

Json = dict[str, Any]
# Default share of errors among segments without review.
USUAL_RISK: Final = 0.1
CENTS: Final = 2


@dataclass(frozen=True)
class Terms:
    """Terms of payment for a document's words.

    `bands` have rates; `by_risk` replaces them by the bands of the risk. A label worse than `at_worst` (in its unit) is an
    error; at most the share `error_rate` of the segments without review are expected errors. None asks for no acceptance. A
    word paid in full costs `word_price` in `currency`. `is_critical` is True if an error is the worse class of `critical`.
    """

    bands: tuple[Band, ...] = ()
    by_risk: bool = False
    at_worst: float | None = None
    error_rate: float | None = None
    currency: str | None = None
    word_price: float | None = None
    is_critical: bool = False

    def of_label(self, label: Label) -> "Terms":
        """The terms for a label: with its default risk unless one is stated, and the bands of that risk.

        A band with rate 0 needs a risk. `critical` has none by default: its bands by risk then have no free one. InputError for a
        worst label outside the label's range.
        """
        terms = self
        low, high = label.lowest, label.highest
        if self.at_worst is not None and not (-inf if low is None else low) <= self.at_worst <= (inf if high is None else high):
            ends = f"from {low:g} on" if high is None else f"up to {high:g}" if low is None else f"from {low:g} to {high:g}"
            detail = f"{self.at_worst:g} is none that {label.name} has; in its unit ({label.unit}) it goes {ends}"
            raise InputError("invalid-request", detail, ("accept", "at_worst"))
        # A critical error misleads a reader: nobody skips review of it by a default.
        has_default = self.by_risk and label.name != CRITICAL.name
        if self.error_rate is None and (has_default or any(band.rate == 0 for band in self.bands)):
            terms = replace(terms, error_rate=USUAL_RISK)
        if terms.error_rate is not None and terms.at_worst is None:
            terms = replace(terms, at_worst=usual_worst(label))
        if error_is_critical(label, terms.at_worst):
            terms = replace(terms, is_critical=True)
        if not self.by_risk:
            return terms
        bands = risk_bands(label, terms.at_worst)
        return replace(terms, bands=bands if terms.error_rate is not None else bands[1:])

    def as_json(self) -> Json:
        """The terms as a job stores them."""
        return {**self.__dict__, "bands": [dict(band.__dict__) for band in self.bands]}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Terms":
        """Read the terms that `as_json` wrote."""
        return cls(**{**fields, "bands": tuple(Band(**band) for band in fields["bands"])})


def error_is_critical(label: Label, at_worst: float | None) -> bool:
    """Return True if labels worse than `at_worst` are the worse class of `critical`, an error that misleads the reader."""
    classes = label.name == CRITICAL.name and not label.higher_is_better and label.classes == CRITICAL.classes
    return classes and at_worst is not None and min(CRITICAL.classes) <= at_worst < max(CRITICAL.classes)


def money_rows(terms: Terms, segments: Iterable[tuple[float, int, bool]], passing: int | None) -> Json:
    """Rows of bands, their total, and the terms, from rows of (confidence, source words, True if the segment may skip review).

    The total is the sum of the rounded rows. `passing` is the number of segments that may skip review, None without a risk.
    """
    reports = report_bands(terms.bands, segments)
    words = sum(report.source_words for report in reports)
    rows = [_row(report, words, terms) for report in reports]
    total: Json = {"segments": sum(row["segments"] for row in rows), "source_words": words}
    total |= {name: round(sum(row[name] for row in rows), CENTS) for name in ("paid_words", "paid") if name in rows[0]}
    about: Json = {
        "basis": "risk" if terms.by_risk else "bands",
        "unseen": _skipped_review(terms.bands, total["segments"], passing),
        "at_worst": terms.at_worst,
        "error_rate": terms.error_rate,
        "currency": terms.currency,
        "word_price": _price(terms),
    }
    return {"bands": rows, "total": total, "terms": {**about, "assumption": sentence_of(about, terms.is_critical)}}


def _row(report: BandReport, words: int, terms: Terms) -> Json:
    price = _price(terms)
    return {
        **report.band.__dict__,
        "segments": report.segments,
        "source_words": report.source_words,
        "share": round(report.source_words / words, 6) if words else 0.0,
        "paid_words": round(report.paid_words, CENTS),
        **({} if price is None else {"paid": round(report.paid_words * price, CENTS)}),
    }


def _price(terms: Terms) -> float | None:
    return None if terms.currency is None else 1.0 if terms.word_price is None else terms.word_price


def _skipped_review(bands: Sequence[Band], segments: int, passing: int | None) -> str:
    if all(band.rate > 0 for band in bands):
        return "all-paid"
    return "unknown" if passing is None else "nothing" if segments and not passing else "some"


# Assumptions, by the segments that may skip review.
ASSUMPTION_TEXTS: Final = {
    "all-paid": "Bands depend only on the estimated quality; every word is paid.",
    "unknown": "No segment is free, because the limit of an error is missing. Set the limit beyond which a segment is an error.",
    "nothing": "No segment can skip review: even among the best segments, more than {share} % are expected to be worse than "
    "{worst}.",
    "some": "Only segments that can skip review are free: at most {share} % of them are expected to be worse than {worst}.",
}
# A worst label of two classes says nothing to a reader.
CRITICAL_TEXTS: Final = {
    "nothing": "No segment can skip review: even among the best segments, more than {share} % are expected to have a critical "
    "error.",
    "some": "Only segments that can skip review are free: at most {share} % of them are expected to have a critical error.",
}
RATES: Final = "The rates are common shares of the price of a new word."
GIVEN_RATES: Final = "The rates are yours, as shares of the price of a new word."
PRICE_TEXT: Final = "{price} {currency} is the full price of a word."

ASSUMPTIONS: Final = (*ASSUMPTION_TEXTS.values(), *CRITICAL_TEXTS.values(), RATES, GIVEN_RATES, PRICE_TEXT)


def assumptions(terms: Mapping[str, Any], is_critical: bool = False) -> list[tuple[str, dict[str, str]]]:
    """Assumptions among the terms of an answer: text templates, each with its values; `is_critical` as in `Terms`."""
    risk = {} if terms["error_rate"] is None or terms["at_worst"] is None else {
        "share": f"{100 * terms['error_rate']:.3g}",
        "worst": f"{terms['at_worst']:.4g}",
    }  # fmt: skip
    risk_texts = {**ASSUMPTION_TEXTS, **(CRITICAL_TEXTS if is_critical else {})}
    texts = [(risk_texts[terms["unseen"]], risk), (RATES if terms["basis"] == "risk" else GIVEN_RATES, {})]
    if terms["currency"] is not None:
        texts.append((PRICE_TEXT, {"price": f"{terms['word_price']:g}", "currency": terms["currency"]}))
    return texts


def sentence_of(terms: Mapping[str, Any], is_critical: bool = False) -> str:
    """The assumptions of an answer as one text; `is_critical` as in `Terms`."""
    return " ".join(text.format(**places) for text, places in assumptions(terms, is_critical))
