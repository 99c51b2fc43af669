"""Scores of a document, written into it."""

from collections.abc import Sequence
from pathlib import Path

from example import client, run, told


def main(arguments: Sequence[str]) -> None:
    document, scored = map(Path, arguments[:2])
    with client() as assay:
        job = assay.wait(assay.submit_file(document, {"warnings": True})["id"], told)
        content = assay.result(job["id"], "annotated")
    scored.write_bytes(content)
    print(f"{job['total']} segments, mean confidence {job['summary']['document']['confidence']:.2f}, in {scored}")


if __name__ == "__main__":
    run(main, "quality_job.py DOCUMENT SCORED", 2)
