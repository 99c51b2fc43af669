"""Files with several translations of each source: columns of a table, or alternatives in XLIFF."""

from app.documents.several.candidates import CandidateFile, CandidatesAnswer, CandidateUnit
from app.documents.several.reading import read_candidates

__all__ = ["CandidateFile", "CandidateUnit", "CandidatesAnswer", "read_candidates"]
