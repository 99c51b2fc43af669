"""Rewrite the tables of the reference pages from the declarations in the code: ``python docs/write_tables.py``."""

import re
from pathlib import Path

from app.features import GROUPS, feature_sets
from app.metrics import METRICS
from app.metrics.learnt.features import FEATURE_FAMILIES
from app.metrics.learnt.templates import feature_templates
from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.settings import ROOT, Settings
from app.text.errors import PROBLEMS

HERE = Path(__file__).parent


def table(header: list[str], rows: list[list[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def settings() -> str:
    rows: list[list[object]] = []
    for name, field in Settings.model_fields.items():
        default = str(field.default).replace(str(ROOT), ".") if field.default != "" else "(empty)"
        rows.append([f"`ASSAY_{name.upper()}`", f"`{default}`", field.description])
    return table(["Variable", "Default", "Meaning"], rows)


def features() -> str:
    parts: list[str] = []
    for group in GROUPS:
        rows: list[list[object]] = [
            [f"`{f.id}`", f"`{f.name}`", f.description, f.family, ", ".join(f.needs) or "–", f.source] for f in group
        ]
        parts.append(f"### {group.title}\n\n{table(['Id', 'Name', 'What it is', 'Family', 'Needs', 'Source'], rows)}")
    return "\n\n".join(parts)


def sets() -> str:
    rows: list[list[object]] = [
        [f"`{s.name}`", len(s.features), s.description, ", ".join(sorted(s.requires)) or "–"] for s in feature_sets().values()
    ]
    return table(["Set", "Features", "What it is", "Must be sent"], rows)


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else "–"


def metric_features() -> str:
    return table(["Feature", "What it is"], [[f"`{f.form}`", f.description] for f in FEATURE_FAMILIES])


def templates() -> str:
    rows: list[list[object]] = [[f"`{t.name}`", len(t.features), t.description, t.source] for t in feature_templates().values()]
    return table(["Template", "Features", "What it is", "Source"], rows)


def agreements() -> str:
    return table(["Measure", "What it is"], [[f"`{a.name}`", a.description] for a in AGREEMENTS.values()])


def metrics() -> str:
    rows: list[list[object]] = [
        [f"`{m.name}`", m.description, _cell(m.variants), ", ".join(f"`{o}`" for o in m.options), m.source]
        for m in METRICS.values()
    ]
    return table(["Name", "What it is", "Variants", "Options", "Source"], rows)


def problems() -> str:
    return table(["Code", "Status", "Title"], [[f"`{code}`", p.status, p.title] for code, p in PROBLEMS.items()])


TABLES = {
    "settings": settings,
    "features": features,
    "sets": sets,
    "metrics": metrics,
    "metric-features": metric_features,
    "templates": templates,
    "agreements": agreements,
    "problems": problems,
}


def main() -> None:
    for path in sorted(HERE.glob("*.md")):
        text = path.read_text("utf-8")
        for name, make in TABLES.items():
            pattern = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
            text = re.sub(pattern, lambda found, made=make: found[1] + made() + "\n" + found[2], text, flags=re.DOTALL)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
