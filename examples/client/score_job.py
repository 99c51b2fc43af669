"""BLEU, chrF and TER of systems against a reference."""

from collections.abc import Sequence

from example import client, lines, run, told


def main(arguments: Sequence[str]) -> None:
    reference, *systems = arguments
    params = {
        "metrics": ["bleu", "chrf", "ter"],
        "references": {"reference": lines(reference)},
        "systems": {system: lines(system) for system in systems},
    }
    with client() as assay:
        job = assay.run("score", params, told)
    for score in job["summary"]["metrics"]:
        print(score["system"], score["metric"], f"{score['score']:.2f}", sep="\t")


if __name__ == "__main__":
    run(main, "score_job.py REFERENCE SYSTEM ...", 2)
