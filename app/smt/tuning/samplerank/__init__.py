"""SampleRank (Haddow, Arun and Koehn 2011): chains of samples that move weights if model and metric rank differently."""
