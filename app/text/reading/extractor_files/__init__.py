"""Files of Moses' ``extractor``: features (FEATSTAT) and statistics of a score (SCORESTAT) of hypotheses, as text or binary."""

from app.text.reading.extractor_files.blocks import is_extractor_file
from app.text.reading.extractor_files.reading import ExtractorFiles, ScoreStatistics, read_extractor_files
from app.text.reading.extractor_files.writing import feature_blocks, score_blocks

__all__ = ["ExtractorFiles", "ScoreStatistics", "feature_blocks", "is_extractor_file", "read_extractor_files", "score_blocks"]
