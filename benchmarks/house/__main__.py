"""Figures of the house: sizes, imports, the walk of a value, prose and names, of any checkout.

``python -m benchmarks.house [ROOT]`` prints all figures; ``--json`` prints them as JSON. ``--prose ROOM...`` lists the offences of
rooms by file and line. ``--write-limits`` writes the offences of each room as its limit, which `tests/test_words.py` reads.
"""

import argparse
import gc
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from benchmarks.house.imports import circles, floors, folder_sizes, imports_of, modules_of, room_of_module
from benchmarks.house.limits import LIMITS, write_limits
from benchmarks.house.prose import KINDS, MOST_RELATIVES, MOST_WORDS, counts, offences
from benchmarks.house.rooms import WINGS, sources, wing_of
from benchmarks.house.walk import Walker, climbs

ENTRY: Final = "app/engine/engine.py:Engine.quality:segments"
# Folders with more modules are listed.
CROWD: Final = 16


def sizes(root: Path) -> dict[str, Any]:
    """Lines and modules of each wing of `app` and of the tests, and modules of the largest folders."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in sources(root, ("app", "tests")):
        relative = path.relative_to(root)
        part = wing_of(relative) if relative.parts[0] == "app" else "tests"
        lines[part] += path.read_bytes().count(b"\n")
        modules[part] += 1
    folders = folder_sizes({name: path.relative_to(root) for name, path in modules_of(root).items()})
    return {
        "lines": {part: lines[part] for part in (*WINGS, "tests")},
        "modules": {part: modules[part] for part in (*WINGS, "tests")},
        "folders": len(folders),
        "largest_folders": dict(folders.most_common(8)),
        "crowded_folders": sum(size > CROWD for size in folders.values()),
    }


def structure(root: Path) -> dict[str, Any]:
    """Circles, floors and hidden imports, with imports in functions and for type checkers counted."""
    imports = imports_of(modules_of(root))
    pairs = [(edge.importer, edge.target) for edge in imports]
    rooms = [(room_of_module(importer), room_of_module(target)) for importer, target in pairs]
    load_pairs = [(room_of_module(edge.importer), room_of_module(edge.target)) for edge in imports if not edge.hidden]
    hidden = [edge for edge in imports if edge.hidden]
    return {
        "module_circles": circles(pairs),
        "room_circles": circles(rooms),
        "rooms": len({name for pair in rooms for name in pair}),
        "arrows": len({pair for pair in rooms if pair[0] != pair[1]}),
        "floors": max(floors(rooms).values()),
        "floors_at_load": max(floors(load_pairs).values()),
        "hidden_imports": dict(Counter(edge.hidden for edge in hidden)),
        "hiding_modules": len({edge.importer for edge in hidden}),
    }


def walked(root: Path, entry: str) -> dict[str, Any]:
    """Stays, rooms entered and climbs of a parameter, `FILE:FUNCTION:PARAMETER`; empty where there is none."""
    file, function, parameter = entry.split(":")
    module = file.removesuffix(".py").replace("/", ".")
    walker = Walker(root)
    if (module, function) not in walker.definitions:
        return {}
    stays = walker.walk(module, function, parameter)
    return {
        "entry": entry,
        "stays": len(stays),
        "modules": len({stay.module for stay in stays}),
        "rooms": len({room_of_module(stay.module) for stay in stays}),
        "climbs": climbs(stays),
        "path": [f"{stay.floor} {stay.module}: {', '.join(stay.entries)}" for stay in stays],
    }


def figures(root: Path, entry: str) -> dict[str, Any]:
    """All figures of a checkout."""
    return {
        "sizes": sizes(root),
        "structure": structure(root),
        "walk": walked(root, entry),
        "prose": {room: {kind: counter[kind] for kind in KINDS} for room, counter in counts(root).items()},
    }


def report(all_figures: dict[str, Any]) -> str:
    """Figures as text for people."""
    size, build, walk, prose = (all_figures[part] for part in ("sizes", "structure", "walk", "prose"))
    lines = ["Lines and modules (Python)"]
    lines += [f"  {part:8} {count:7,} {size['modules'][part]:5}" for part, count in size["lines"].items()]
    lines += [f"  app      {sum(size['lines'][wing] for wing in WINGS):7,} {sum(size['modules'][wing] for wing in WINGS):5}"]
    lines += ["", f"Folders: {size['folders']}; {size['crowded_folders']} with more than {CROWD} modules. Largest:"]
    lines += [f"  {count:3} {folder}" for folder, count in size["largest_folders"].items()]
    lines += [
        "",
        f"Rooms: {build['rooms']}, {build['arrows']} arrows, {build['floors']} floors ({build['floors_at_load']} at load)",
    ]
    hidden = ", ".join(f"{count} {kind}" for kind, count in sorted(build["hidden_imports"].items()))
    lines += [f"Hidden imports: {hidden or 'none'}, in {build['hiding_modules']} modules"]
    for name, groups in (("modules", build["module_circles"]), ("rooms", build["room_circles"])):
        lines += [f"Circles among {name}: {len(groups)} ({sum(map(len, groups))} {name})"]
        lines += [f"  {len(group)}: {' '.join(group)}" for group in groups]
    lines += ["", f"Walk of {walk['entry']}: {walk['stays']} stays, {walk['modules']} modules, {walk['rooms']} rooms, {walk['climbs']} climbs"
              if walk else "Walk: the parameter is not there"]  # fmt: skip
    lines += [f"  {step[:150]}" for step in walk.get("path", ())]
    heads = ("opening", f">{MOST_WORDS} words", f">{MOST_RELATIVES} clauses", "name", "all")
    lines += ["", "Offences of prose" + " " * 17 + "".join(f"{head:>12}" for head in heads)]
    totals = {kind: sum(row[kind] for row in prose.values()) for kind in KINDS}
    for room, row in (*prose.items(), ("all", totals)):
        lines += [f"  {room:32}" + "".join(f"{count:12,}" for count in (*row.values(), sum(row.values())))]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(), help="Checkout to measure; the current folder by default.")
    parser.add_argument("--json", action="store_true", help="Print the figures as JSON.")
    parser.add_argument("--walk", default=ENTRY, metavar="FILE:FUNCTION:PARAMETER", help=f"Value to follow; {ENTRY} by default.")
    parser.add_argument("--prose", nargs="+", metavar="ROOM", help="List the offences of rooms or of files; `all` for all rooms.")
    parser.add_argument("--kind", choices=KINDS, action="append", help="List offences of this kind only; may be repeated.")
    parser.add_argument("--write-limits", action="store_true", help=f"Write the offences of each room to {LIMITS}.")
    options = parser.parse_args()
    # Syntax trees have millions of nodes, and all are used until the end.
    gc.disable()
    root = options.root.resolve()
    if not (root / "app").is_dir():
        sys.exit(f"{root} is no checkout of Assay: it has no folder app. Name the folder that holds app, docs and tests.")
    if options.prose:
        for offence in offences(root):
            is_named = offence.room in options.prose or str(offence.path) in options.prose or "all" in options.prose
            if is_named and offence.kind in (options.kind or KINDS):
                print(offence)
    elif options.write_limits:
        write_limits(root)
    elif options.json:
        print(json.dumps(figures(root, options.walk), indent=2))
    else:
        print(report(figures(root, options.walk)))


if __name__ == "__main__":
    main()
