"""Which system is best, without a reference."""

from collections.abc import Sequence
from pathlib import Path

from example import client, run, told


def main(arguments: Sequence[str]) -> None:
    source_language, target_language, source, *systems = arguments
    params = {"source_language": source_language, "target_language": target_language}
    files = {"source": Path(source), **{f"system:{Path(system).stem}": Path(system) for system in systems}}
    with client() as assay:
        job = assay.wait(assay.submit_files(files, params, "rank")["id"], told)
    for standing in job["summary"]["systems"]:
        print(f"{standing['system']}\t{standing['mean']:.4f}")


if __name__ == "__main__":
    run(main, "rank_job.py SOURCE_LANGUAGE TARGET_LANGUAGE SOURCE SYSTEM SYSTEM ...", 5)
