"""How sure a score and a difference are: bootstrap, approximate randomisation, several runs, many comparisons."""
