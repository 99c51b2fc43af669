"""Trees of constituents: their structure, and brackets as in the Penn Treebank."""
