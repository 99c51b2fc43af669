"""Terms of payment for the words of a document: bands, accepted risk, a price, and the assumptions among them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from app.errors import InputError
from app.planning.acceptance import usual_worst
from app.planning.bands import Band, BandReport, report_bands, risk_bands
from app.predictors.labels import Label

__all__ = ["ASSUMPTIONS", "USUAL_RISK", "Terms", "assumptions", "money_rows", "sentence_of"]

Json = dict[str, Any]
# Default share of errors among segments without review.
USUAL_RISK: Final = 0.1
CENTS: Final = 2


@dataclass(frozen=True)
class Terms:
    """Terms of payment for a document's words.

    `bands` have rates; `by_risk` replaces them by the bands of the risk. A label worse than `at_worst` (in its unit) is an
    error; at most the share `error_rate` of the segments without review are expected errors. None asks for no acceptance. A
    word paid in full costs `word_price` in `currency`.
    """

    bands: tuple[Band, ...] = ()
    by_risk: bool = False
    at_worst: float | None = None
    error_rate: float | None = None
    currency: str | None = None
    word_price: float | None = None

    def of_label(self, label: Label) -> "Terms":
        """The terms for a label: with its default risk unless one is stated, and the bands of that risk.

        A band with rate 0 needs a risk. InputError for a worst label outside the label's range.
        """
        terms = self
        low, high = label.lowest, label.highest
        if self.at_worst is not None and not (-inf if low is None else low) <= self.at_worst <= (inf if high is None else high):
            ends = f"from {low:g} on" if high is None else f"up to {high:g}" if low is None else f"from {low:g} to {high:g}"
            detail = f"{self.at_worst:g} is none that {label.name} has; in its unit ({label.unit}) it goes {ends}"
            raise InputError("invalid-request", detail, ("accept", "at_worst"))
        if self.error_rate is None and (self.by_risk or any(band.rate == 0 for band in self.bands)):
            terms = replace(terms, error_rate=USUAL_RISK)
        if terms.error_rate is not None and terms.at_worst is None:
            terms = replace(terms, at_worst=usual_worst(label))
        return replace(terms, bands=risk_bands(label, terms.at_worst)) if self.by_risk else terms

    def as_json(self) -> Json:
        """The terms as a job stores them."""
        return {**self.__dict__, "bands": [dict(band.__dict__) for band in self.bands]}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Terms":
        """Read the terms that `as_json` wrote."""
        return cls(**{**fields, "bands": tuple(Band(**band) for band in fields["bands"])})


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
    return {"bands": rows, "total": total, "terms": {**about, "assumption": sentence_of(about)}}


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
RATES: Final = "The rates are common shares of the price of a new word."
GIVEN_RATES: Final = "The rates are yours, as shares of the price of a new word."
PRICE_TEXT: Final = "{price} {currency} is the full price of a word."

ASSUMPTIONS: Final = (*ASSUMPTION_TEXTS.values(), RATES, GIVEN_RATES, PRICE_TEXT)


def assumptions(terms: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Assumptions among the terms of an answer: text templates, each with its values."""
    risk = {} if terms["error_rate"] is None or terms["at_worst"] is None else {
        "share": f"{100 * terms['error_rate']:.3g}",
        "worst": f"{terms['at_worst']:.4g}",
    }  # fmt: skip
    texts = [(ASSUMPTION_TEXTS[terms["unseen"]], risk), (RATES if terms["basis"] == "risk" else GIVEN_RATES, {})]
    if terms["currency"] is not None:
        texts.append((PRICE_TEXT, {"price": f"{terms['word_price']:g}", "currency": terms["currency"]}))
    return texts


def sentence_of(terms: Mapping[str, Any]) -> str:
    """The assumptions of an answer as one text."""
    return " ".join(text.format(**places) for text, places in assumptions(terms))
