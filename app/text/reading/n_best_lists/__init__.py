"""Files of n-best lists in every form that decoders and people write, many of them as one set of lists."""
