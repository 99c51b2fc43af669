"""The fields RateLimit and RateLimit-Policy of an answer (draft-ietf-httpapi-ratelimit-headers-11)."""

from collections.abc import Sequence

from app.running.rates import Quota

__all__ = ["rate_limit_fields"]


def rate_limit_fields(quotas: Sequence[Quota]) -> dict[str, str]:
    """Rates in force and the remainder of each, as header fields; empty without rates.

    The units `segments` and `characters` are ours; the draft's registry has others.
    """
    if not quotas:
        return {}
    policies = (f'"{q.rate.name}";q={q.rate.limit};qu="{q.rate.unit}";w={q.length}' for q in quotas)
    limits = (f'"{q.rate.name}";r={q.remainder};t={q.seconds}' for q in quotas)
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(limits)}
