"""SampleRank on derivations: chains that move between derivations by operators (Arun et al. 2009; Haddow et al. 2011)."""
