"""A predictor of your own, of the words that people edit."""

from collections.abc import Sequence

from example import client, labelled, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, table = arguments[:3]
    params = {"source_language": source_language, "target_language": target_language, "label": "hter", "learner": "ridge"}
    with client() as assay:
        job = assay.run("train", {**params, "feature_set": "quest-baseline-17", "segments": labelled(table)}, told)
    print(job["summary"]["model"])


if __name__ == "__main__":
    run(main, "train_job.py SOURCE_LANGUAGE TARGET_LANGUAGE TABLE", 3)
