"""Reference pages by file name, and tables inside further pages."""

import re

from scripts.reference import tables
from scripts.reference.commands import commands_page
from scripts.reference.http import http_page

__all__ = ["reference_pages", "with_tables"]

INDEX = """# Reference

These pages are written from the code by `python -m scripts.reference`.

* [Commands](commands.md): every command of `assay` with its arguments, options and examples.
* [HTTP calls](http.md): every call with its parameters, body and answer.
* [Settings](settings.md): every environment variable.
* [Metrics](metrics.md): every metric, with its options and its source.
* [Features](features.md): every feature and every feature set.
* [Errors](errors.md): every error code with its HTTP status, cause, example and remedy.
"""


def reference_pages() -> dict[str, str]:
    """Text of every page of docs/reference, by file name."""
    return {
        "index.md": INDEX,
        "commands.md": commands_page(),
        "http.md": http_page(),
        "settings.md": "# Settings\n\nSet these as environment variables. [Settings](../run/settings.md) explains how.\n\n"
        f"{tables.settings()}\n",
        "errors.md": f"# Errors\n\n[The HTTP interface](../use/http.md#errors) explains error answers.\n\n{tables.problems()}\n",
        "features.md": (
            "# Features\n\n[Features](../use/features.md) explains how to ask for them.\n\n"
            f"## Sets\n\n{tables.sets()}\n\n## All features\n\n{tables.features()}\n"
        ),
        "metrics.md": (
            "# Metrics\n\n[Metrics](../use/metrics.md) explains how to ask for them.\n\n"
            f"{tables.metrics()}\n\n## Templates of trained metrics\n\n{tables.templates()}\n\n"
            f"## Features of trained metrics\n\n{tables.metric_features()}\n"
        ),
    }


def with_tables(text: str) -> str:
    """Text of a page with the current tables between its markers."""
    for name, make in tables.TABLES.items():
        pattern = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda match, make=make: match[1] + make() + "\n" + match[2], text, flags=re.DOTALL)  # type: ignore[misc]
    return text
