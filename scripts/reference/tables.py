"""Tables of what the catalogues in the code declare: features, metrics, learners, labels, formats, settings, errors."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from app.checks import WARNINGS
from app.checks.reasons import REASONS
from app.documents import FILE_FORMATS
from app.documents.strings import STRING_FORMATS
from app.errors import PROBLEMS
from app.features import GROUPS, feature_sets
from app.metrics import METRICS
from app.metrics.learnt.features import FEATURE_FAMILIES
from app.metrics.learnt.templates import feature_templates
from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.operations.catalogue import OPERATIONS
from app.operations.review.request import CODES
from app.planning.bands import RISK_RATES
from app.planning.confidence import CONFIDENCES
from app.predictors.labels import DOCUMENTED_LABELS
from app.predictors.learners import LEARNERS
from app.predictors.learners.gp.kernels import KINDS
from app.predictors.learners.gp.tasks import TASK_SHARING
from app.predictors.warping import WARPS
from app.server.api.problems import status_of
from app.server.explanations import EXPLANATIONS
from app.settings import ROOT, Settings
from app.smt.tuning.methods import METHODS
from app.text.reading.options import Choice, Option

__all__ = ["TABLES", "features", "metric_features", "metrics", "problems", "sets", "settings", "table", "templates"]


def table(header: list[str], rows: list[list[object]]) -> str:
    """A table in Markdown."""
    lines: list[list[object]] = [[*header], ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def settings() -> str:
    """Every setting with its default."""
    rows: list[list[object]] = []
    for name, field in Settings.model_fields.items():
        default = str(field.default).replace(str(ROOT), ".") if field.default != "" else "(empty)"
        rows.append([f"`ASSAY_{name.upper()}`", f"`{default}`", field.description])
    return table(["Variable", "Default", "Meaning"], rows)


def features() -> str:
    """All features, a section for each group."""
    parts: list[str] = []
    for group in GROUPS:
        rows: list[list[object]] = [
            [f"`{f.id}`", f"`{f.name}`", f.description, f.family, ", ".join(map(str, f.needs)) or "–", f.source] for f in group
        ]
        parts.append(f"### {group.title}\n\n{table(['Id', 'Name', 'Description', 'Family', 'Needs', 'Source'], rows)}")
    return "\n\n".join(parts)


def sets() -> str:
    """Every feature set."""
    rows: list[list[object]] = [
        [f"`{s.name}`", len(s.features), s.description, ", ".join(sorted(map(str, s.requires))) or "–"]
        for s in feature_sets().values()
    ]
    return table(["Set", "Features", "Description", "Must be sent"], rows)


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else "–"


def metric_features() -> str:
    """Families of features of trained metrics."""
    return table(["Feature", "Description"], [[f"`{f.form}`", f.description] for f in FEATURE_FAMILIES])


def templates() -> str:
    """Sets of features of trained metrics."""
    rows: list[list[object]] = [[f"`{t.name}`", len(t.features), t.description, t.source] for t in feature_templates().values()]
    return table(["Template", "Features", "Description", "Source"], rows)


def metrics() -> str:
    """Every metric."""
    rows: list[list[object]] = [
        [f"`{m.name}`", m.description, _cell(m.variants), ", ".join(f"`{o}`" for o in m.options), m.source]
        for m in METRICS.values()
    ]
    return table(["Name", "Description", "Variants", "Options", "Source"], rows)


def problems() -> str:
    """A section for every error code: title, HTTP status, cause, example and remedy."""
    return "\n\n".join(
        f"## {code}\n\n{title} (status {status_of(code)}).\n\n{EXPLANATIONS[code].cause}\n\n"
        f"```\n{EXPLANATIONS[code].example}\n```\n\n{EXPLANATIONS[code].remedy}"
        for code, title in PROBLEMS.items()
    )


def learners() -> str:
    rows: list[list[object]] = [[f"`{row.name}`", row.description, _options(row.options)] for row in LEARNERS]
    return table(["Learner", "Description", "Options (default)"], rows)


def methods() -> str:
    rows: list[list[object]] = [[f"`{row.name}`", row.title, _options(row.options) or "–", row.source] for row in METHODS.values()]
    return table(["Method", "Description", "Options (default)", "Source"], rows)


def _options(options: Mapping[str, Option]) -> str:
    return "<br>".join(f"`{key}`: {_cell(option.accepted_values)} (`{_default(option)}`)" for key, option in options.items())


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _default(option: Option) -> str:
    if isinstance(option, Choice):
        return next(word for word, value in option.values.items() if value == option.default)
    return str(option.default)


def labels() -> str:
    rows: list[list[object]] = []
    for label in DOCUMENTED_LABELS.values():
        ends = [str(end) if end is not None else "-" for end in (label.lowest, label.highest)]
        rows.append([f"`{label.name}`", label.description, label.unit, label.direction, " to ".join(ends)])
    return table(["Label", "Description", "Unit", "Direction", "Range"], rows)


def _named(values: Mapping[str, str]) -> str:
    return "\n".join(f"* `{name}`: {title}" for name, title in values.items())


def formats() -> str:
    rows: list[list[object]] = [
        [f"`{form.name}`", form.title.replace("|", "\\|"), f"`{form.media_type}`"] for form in FILE_FORMATS.values()
    ]
    return table(["Format", "Description", "Media type of the annotated file"], rows)


# Tables that stand in pages between ``<!-- table NAME -->`` and ``<!-- end -->``.
TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "formats": formats,
    "warnings": lambda: table(["Warning", "Meaning"], [[f"`{code}`", text] for code, text in WARNINGS.items()]),
    "string formats": lambda: table(
        ["Format", "Description", "Names"],
        [[f"`{form.name}`", form.title, ", ".join(f"`*{suffix}`" for suffix in form.suffixes)] for form in STRING_FORMATS],
    ),
    "review codes": lambda: table(["Code", "Meaning"], [[f"`{code}`", text] for code, text in CODES.items()]),
    "confidences": lambda: table(["Label", "Confidence"], [[f"`{label}`", formula] for label, (formula, _) in CONFIDENCES.items()]),
    "reasons": lambda: table(
        ["Reason", "Meaning"], [[f"`{code}`", text] for code, text in REASONS.items() if code not in WARNINGS]
    ),
    "bands": lambda: table(["Band", "Rate", "Segments"], [[f"`{name}`", rate, text] for name, rate, text in RISK_RATES]),
    "learners": learners,
    "kernels": lambda: _named(KINDS),
    "warps": lambda: _named(WARPS),
    "sharing": lambda: _named(TASK_SHARING),
    "labels": labels,
    "methods": methods,
    "agreements": lambda: table(["Measure", "Description"], [[f"`{a.name}`", a.description] for a in AGREEMENTS.values()]),
    # Methods of the client that answer at once, those that wait for a job, and kinds of jobs.
    "calls": lambda: _code(name.replace("-", "_") for name, operation in OPERATIONS.items() if operation.answer is not None),
    "job-methods": lambda: _code(name.replace("-", "_") for name, operation in OPERATIONS.items() if operation.answer is None),
    "job-kinds": lambda: _code(name for name, operation in OPERATIONS.items() if operation.steps is not None),
}
