"""A client of a running server, for one call after another (`Client`) or many at once (`AsyncClient`).

    with Client("http://localhost:8000") as assay:
        answer = assay.quality("ro", "en", [("Bună ziua.", "Good day.")])
        print(answer["segments"][0]["confidence"])

Every operation of the server is a method. Methods return the server's dictionaries; `answers` has their types. A refusal, or no
answer, raises `AssayError` with a code of docs/reference/errors.md, or `QuotaError` at a limit. A call to a busy server waits as
long as the server says and tries again.
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
