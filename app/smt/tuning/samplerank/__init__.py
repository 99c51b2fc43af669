"""SampleRank (Haddow, Arun and Koehn 2011): chains of samples that move weights if model and metric rank differently."""

from app.smt.tuning.samplerank.neighbourhood import Neighbourhood, Neighbours
from app.smt.tuning.samplerank.tuner import SAMPLERANK, tune_samplerank

__all__ = ["SAMPLERANK", "Neighbourhood", "Neighbours", "tune_samplerank"]
