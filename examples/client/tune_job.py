"""Weights of a decoder's features, tuned towards BLEU on its n-best lists; a file of weights with its card is written."""

import json
from collections.abc import Sequence
from pathlib import Path

from example import client, run, told


def main(arguments: Sequence[str]) -> None:
    lists, reference, out = arguments
    params = {"method": "mert", "metric": "bleu", "runs": 3}
    with client() as assay:
        job = assay.submit_files({"n_best": Path(lists), "reference": Path(reference)}, params, "tune")
        answer = assay.wait(job["id"], told)["summary"]
    Path(out).write_text(json.dumps(answer["weights"], indent=1) + "\n", encoding="utf-8")
    print(f"{answer['metric']} {answer['dev_score']:.2f}, first hypotheses {answer['first_score']:.2f}, in {out}")


if __name__ == "__main__":
    run(main, "tune_job.py NBEST REFERENCE WEIGHTS", 3)
