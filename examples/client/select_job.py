"""Which segments are worth annotating next."""

from collections.abc import Sequence

from example import client, pairs, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, source, translation = arguments[:4]
    count = int(arguments[4]) if arguments[4:] and arguments[4].isdecimal() else 100
    params = {"source_language": source_language, "target_language": target_language, "count": count}
    with client() as assay:
        job = assay.run("select", {**params, "segments": pairs(source, translation)}, told)
    for segment in job["summary"]["segments"]:
        print(segment["segment"], segment["source"], segment["translation"], sep="\t")


if __name__ == "__main__":
    run(main, "select_job.py SOURCE_LANGUAGE TARGET_LANGUAGE SOURCE TRANSLATION [COUNT]", 4)
