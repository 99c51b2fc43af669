"""SampleRank on derivations: chains that go from one to the next by operators (Arun et al. 2009; Haddow, Arun and Koehn 2011)."""
