"""Executors of shards: processes of this machine, and a cluster of Ray."""
