"""A client of a running server, for one call after another (`Client`) or many at once (`AsyncClient`).

    with Client("http://localhost:8000") as assay:
        answer = assay.quality("ro", "en", [("Bună ziua.", "Good day.")])
        print(answer["segments"][0]["confidence"])

Every operation of the server is a method; `answers` has the types of what they give, dictionaries as the server sends them. What
the server refuses, and a server that does not answer, is an `AssayError` with the code of docs/run/problems.md, a `QuotaError` where a
limit is reached. Where the server has too much to do, calls wait as long as it says and try again.
"""

from assay_client.answers import JobAnswer, QualityAnswer, RankAnswer, ScoreAnswer, SegmentQuality
from assay_client.asynchronous import AsyncClient
from assay_client.errors import AssayError, QuotaError
from assay_client.synchronous import Client

__all__ = [
    "AssayError",
    "AsyncClient",
    "Client",
    "JobAnswer",
    "QualityAnswer",
    "QuotaError",
    "RankAnswer",
    "ScoreAnswer",
    "SegmentQuality",
]
