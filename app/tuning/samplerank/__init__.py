"""SampleRank (Haddow, Arun and Koehn 2011): chains of samples that move weights wherever model and metric rank otherwise."""

from app.tuning.samplerank.neighbourhood import Neighbourhood, Neighbours
from app.tuning.samplerank.tuner import SAMPLERANK, tune_samplerank

__all__ = ["SAMPLERANK", "Neighbourhood", "Neighbours", "tune_samplerank"]
