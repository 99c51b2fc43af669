"""Numbers in the format ``%g`` of C: six digits, correctly rounded, without trailing zeros."""

from fractions import Fraction

import numpy as np
from numba import njit

from app.arrays import Float64s, UInt8s

__all__ = ["LONGEST_NUMBER", "put_number"]

LONGEST_NUMBER = 16
DIGITS = 6
LOWEST, HIGHEST = -330, 330
# Splits a double into halves whose products are exact (Dekker 1971).
SPLITTER = 134217729.0


def _powers() -> Float64s:
    """Powers of ten as the nearest double and its remainder, shape (powers, 2); powers above the range of doubles are 0."""
    table = np.zeros((HIGHEST - LOWEST + 1, 2))
    for power in range(LOWEST, HIGHEST + 1):
        exact = Fraction(10) ** power
        nearest = float(exact) if power <= 308 else 0.0
        table[power - LOWEST] = nearest, float(exact - Fraction(nearest)) if nearest else 0.0
    return table


POWERS = _powers()


@njit(cache=True, inline="always")
def _rounded(value: float, power: int) -> int:
    """``value * 10 ** power`` rounded to an integer, ties to even; the product is exact to 100 bits."""
    high, low = POWERS[power - LOWEST, 0], POWERS[power - LOWEST, 1]
    product = value * high
    split = SPLITTER * value
    value_high = split - (split - value)
    value_low = value - value_high
    split = SPLITTER * high
    power_high = split - (split - high)
    power_low = high - power_high
    error = ((value_high * power_high - product) + value_high * power_low + value_low * power_high) + value_low * power_low
    integer = np.floor(product)
    rest = (product - integer) + (error + value * low)
    number = int(integer)
    if rest > 0.5 or (rest == 0.5 and number % 2):
        number += 1
    return number


@njit(cache=True, nogil=True)
def put_number(out: UInt8s, at: int, value: float) -> int:
    """Write a number, 0 or between 1e-250 and 1e250; return the position of its end."""
    if value == 0:
        out[at] = 48
        return at + 1
    exponent = int(np.floor(np.log10(value)))
    number = _rounded(value, DIGITS - 1 - exponent)
    # Near powers of ten the logarithm may be inexact, and rounding may add a digit.
    if number < 100000:
        exponent -= 1
        number = _rounded(value, DIGITS - 1 - exponent)
    if number >= 1000000:
        exponent += 1
        number = _rounded(value, DIGITS - 1 - exponent)
    digits = DIGITS
    while digits > 1 and number % 10 == 0:
        number //= 10
        digits -= 1
    if -4 <= exponent < DIGITS:
        # Digits before the point, zeros after it, and zeros before it.
        before = max(exponent + 1, 1)
        after = max(digits - 1 - exponent, 0)
        for _ in range(exponent + 1 - digits):
            number *= 10
        end = at + before + (after + 1 if after else 0)
        place = end - 1
        for step in range(before + after):
            if step == after and after:
                out[place] = 46
                place -= 1
            out[place] = 48 + number % 10
            number //= 10
            place -= 1
        return end
    end = at + digits + (digits > 1)
    place = end - 1
    for _ in range(digits - 1):
        out[place] = 48 + number % 10
        number //= 10
        place -= 1
    if digits > 1:
        out[place] = 46
        place -= 1
    out[place] = 48 + number
    out[end] = 101
    out[end + 1] = 45 if exponent < 0 else 43
    end += 2
    exponent = abs(exponent)
    if exponent >= 100:
        out[end] = 48 + exponent // 100
        exponent %= 100
        end += 1
    out[end], out[end + 1] = 48 + exponent // 10, 48 + exponent % 10
    return end + 2
