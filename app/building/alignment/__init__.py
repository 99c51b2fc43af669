"""Word alignment of parallel text.

`Aligner` is trained by `train_aligner` and aligns any text; `variational` is the older method, by which lexical tables are made;
`symmetrisation` merges the links of two directions.
"""
