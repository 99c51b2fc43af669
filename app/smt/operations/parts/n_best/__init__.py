"""N-best lists in requests and jobs: as JSON, as files, and as the chunks of a job.

Requests have them as `NBestLists`, which are arrays, since a list of a million hypotheses as objects takes gigabytes.
"""
