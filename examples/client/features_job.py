"""Features of every segment as TSV."""

from collections.abc import Sequence

from example import client, pairs, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, source, translation = arguments[:4]
    params = {"source_language": source_language, "target_language": target_language, "segments": pairs(source, translation)}
    with client() as assay:
        job = assay.run("features", params, told)
        print(assay.result(job["id"], "tsv").decode(), end="")


if __name__ == "__main__":
    run(main, "features_job.py SOURCE_LANGUAGE TARGET_LANGUAGE SOURCE TRANSLATION", 4)
