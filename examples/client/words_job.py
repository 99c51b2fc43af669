"""Words that are probably wrong."""

import json
from collections.abc import Sequence

from example import client, pairs, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, source, translation = arguments[:4]
    params = {"source_language": source_language, "target_language": target_language, "segments": pairs(source, translation)}
    with client() as assay:
        job = assay.run("words", params, told)
        rows = json.loads(assay.result(job["id"]))["segments"]
    for number, row in enumerate(rows, 1):
        print(number, *(word["text"] for word in row["words"] if word["tag"] == "BAD"), sep="\t")


if __name__ == "__main__":
    run(main, "words_job.py SOURCE_LANGUAGE TARGET_LANGUAGE SOURCE TRANSLATION", 4)
