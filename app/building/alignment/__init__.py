"""Which words of parallel text translate each other.

`Aligner` is trained by `train_aligner` and aligns any text; `variational` is the older method, by which lexical tables are made;
`symmetrisation` makes one set of links of two directions.
"""
