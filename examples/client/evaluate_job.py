"""How accurate predictors are on labels of your own."""

from collections.abc import Sequence

from example import client, labelled, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, table = arguments[:3]
    with client() as assay:
        params = {"source_language": source_language, "target_language": target_language, "label": "hter"}
        job = assay.run("evaluate", {**params, "segments": labelled(table)}, told)
    print(job["summary"]["model"], f"{job['summary']['accuracy']['pearson']:.3f}", sep="\t")


if __name__ == "__main__":
    run(main, "evaluate_job.py SOURCE_LANGUAGE TARGET_LANGUAGE TABLE", 3)
