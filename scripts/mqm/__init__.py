"""Build of trained metrics from several systems' judged translations of the same sources."""
