"""Agreement of people with differences of systems in predicted quality.

``python -m benchmarks.comparisons`` measured 623 pairs of systems of held-out talks and abstracts. People agree with a pair if
their
mean MQM penalty and the mean predicted DA put both systems in one order.
"""

from typing import Final

__all__ = ["FEWEST_AGREE", "people_agree"]

# Shares from a difference on, in standard deviations of the label: of 14, 72, 282 and 255 pairs.
SHARES: Final = ((0.25, 0.86), (0.1, 0.75), (0.02, 0.62), (0.0, 0.5))
# A smaller share is no verdict.
FEWEST_AGREE: Final = 0.8


def people_agree(label: str, unit: str, difference: float) -> float | None:
    """Share of pairs of systems with such a difference that people order alike; None for labels that were not measured."""
    if (label, unit) != ("da", "z-score"):
        return None
    return next(share for limit, share in SHARES if abs(difference) >= limit)
