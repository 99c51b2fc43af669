"""Sphinx's configuration. Inline scripts and styles move into files, since the server's security policy blocks them."""

import hashlib
import re
from pathlib import Path

from sphinx.application import Sphinx

project = "Assay"
author = "Assay's authors"
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["requirements.*"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
html_theme = "furo"
# The service shows the site under /help.
html_theme_options = {"announcement": '<a href="/">Back to the pages of Assay</a>'}
html_title = "Assay"
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

LINK = re.compile(r"\]\(([\w/-][\w/.-]*)\.md\)")
# Pages below an index of their own.
OF_FOLDER = re.compile(r"(use|run|extend|research|smt|reference)/(?!index)")
# Links to files beside the documentation, as ../README.md and ../../examples/client/README.md.
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?:README|LICENSE|client|examples|deploy)[\w/.-]*)\)")


def adapt(app: Sphinx, name: str, source: list[str]) -> None:
    """Name files beside the documentation instead of linking them; add to an index page the table of contents of its links."""
    source[0] = OUTSIDE.sub(lambda found: f"{found[1]} (`{found[2]}`)" if found[1] != found[2] else f"`{found[2]}`", source[0])
    if name == "index" or name.endswith("/index"):
        # The first page links pages of all folders; each stands once in the menu, below the index of its folder.
        names = [page for page in LINK.findall(source[0]) if name != "index" or not OF_FOLDER.match(page)]
        pages = "\n".join(dict.fromkeys(names))
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"


def move_inline_parts(app: Sphinx, failure: Exception | None) -> None:
    """Move scripts and styles out of the pages into files, as a policy of ``script-src 'self'; style-src 'self'`` needs."""
    site = Path(app.outdir)
    styles: dict[str, str] = {}
    for path in [] if failure else sorted(site.rglob("*.html")):
        up = "../" * (len(path.relative_to(site).parts) - 1)

        def name_of(text: str, suffix: str) -> str:
            name = f"inline-{hashlib.sha256(text.encode()).hexdigest()[:12]}{suffix}"
            (site / "_static" / name).write_text(text, "utf-8")
            return f"{up}_static/{name}"  # noqa: B023

        def script(found: re.Match[str]) -> str:
            return f'<script src="{name_of(found[1], ".js")}"></script>'

        def sheet(found: re.Match[str]) -> str:
            return f'<link rel="stylesheet" href="{name_of(found[1], ".css")}">'

        def styled(found: re.Match[str]) -> str:
            tag, style = found[1] + found[3], found[2]
            name = styles.setdefault(style, f"inline-{len(styles)}")
            if ' class="' in tag:
                return tag.replace(' class="', f' class="{name} ', 1)
            return re.sub(r"^<[\w-]+", lambda start: f'{start[0]} class="{name}"', tag)

        text = re.sub(r"<script>(.*?)</script>", script, path.read_text("utf-8"), flags=re.DOTALL)
        text = re.sub(r"<style>(.*?)</style>", sheet, text, flags=re.DOTALL)
        text = re.sub(r'(<[\w-]+[^<>]*?) style="([^"]*)"([^<>]*>)', styled, text)
        text = text.replace("</head>", f'<link rel="stylesheet" href="{up}_static/inline.css"></head>', 1)
        path.write_text(text, "utf-8")
    rules = "".join(f".{name} {{ {style} }}\n" for style, name in styles.items())
    (site / "_static" / "inline.css").write_text(rules, "utf-8")


def setup(app: Sphinx) -> None:
    """Register both."""
    app.connect("source-read", adapt)
    app.connect("build-finished", move_inline_parts)
