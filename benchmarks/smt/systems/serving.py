"""Cost of a system for a server (opening, memory, first sentence, many sentences): ``python -m benchmarks.smt.systems.serving DATA --pair de-en TEXT``.

DATA is a data folder into which `assay smt import` wrote; TEXT has a sentence a line, gzip or not.
"""

import argparse
import time
from pathlib import Path

from app.resources.loading import open_resources
from app.text import LanguagePair
from app.text.reading.lines import TextFile


def memory(field: str = "RssAnon") -> float:
    """Memory of this process in MB: its own (RssAnon), or, as RssFile, pages of files that the system may take back."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--pair", required=True)
    arguments = parser.parse_args()
    pair = LanguagePair.parse(arguments.pair)
    import app.smt.decoder.serving  # noqa: F401
    from app.smt.systems import Systems

    def print_times(step: str, begin: tuple[float, float], count: int = 1) -> None:
        wall, processor = time.perf_counter() - begin[0], time.process_time() - begin[1]
        print(f"{step:42} {1000 * wall / count:9.1f} ms {1000 * processor / count:9.1f} ms of processor time, "
              f"{memory():6.0f} MB, and {memory('RssFile'):5.0f} MB of files")  # fmt: skip

    def now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    begin = now()
    folders = open_resources(arguments.data / "nothing", user_folder=arguments.data / "resources").systems
    folders[pair].verify()
    print_times("checksums", begin)
    begin = now()
    systems = Systems(folders)
    system = systems.of(pair)
    print_times("opened", begin)
    begin = now()
    systems.load()
    print_times("warmed up", begin)
    lines = list(TextFile.of(arguments.text).lines())
    for count, n_best in ((1, 0), (1, 100), (100, 0), (100, 100), (len(lines), 0)):
        begin = now()
        total = sum(1 for _ in system.translate(lines[:count], n_best, distinct=True))
        print_times(f"{total} sentences, lists of {n_best}, each", begin, total)
    begin = now()
    for line in lines[:100]:
        list(system.translate([line]))
    print_times("100 requests of one sentence, each", begin, 100)
    begin = now()
    words = " ".join(lines).split()[:1000]
    list(system.translate([" ".join(words)]))
    print_times("a sentence of 1,000 words", begin)


if __name__ == "__main__":
    main()
