"""Pages to send: one HTML file each, without scripts, links or other files, for light and dark screens."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final

__all__ = ["sent_page", "wide_table"]

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d2327; --paper: #ffffff; --soft: #5c656d; --line: #d9d7d0; --mark: #fbf0d9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceae4; --paper: #15191c; --soft: #a5adb4; --line: #363d43; --mark: #4a3a12; }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
body { color: var(--ink); background: var(--paper); }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; }
h3 { font-size: 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th[scope="row"] { font-weight: normal; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--line); text-align: start; }
.wide { overflow-x: auto; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.verdict { font-size: 1.15rem; font-weight: 600; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1rem; margin: .25rem 0 1.25rem; }
dt { color: var(--soft); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; }
.plot { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: start; }
.plot > * { min-width: 0; max-width: 100%; }
.plot th, .plot td { padding: .15rem .5rem; }
.plot td, .plot th[scope="row"], td.number { white-space: nowrap; }
@media (max-width: 40rem) {
  th, td, .plot th, .plot td { padding-inline: .35rem; }
  .plot td:not(.number) { white-space: normal; }
}
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); }
"""
# The page states that it loads nothing, and allows its own style.
POLICY: Final = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"


def sent_page(title: str, body: str) -> str:
    """HTML page with a title, which is text, and a body, which is HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{body}</main>
</body>
</html>"""


def wide_table(heading: str, body: str) -> str:
    """HTML table of cells and rows, both HTML, that scrolls on a narrow screen."""
    table = f"<table>\n<thead><tr>{heading}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"
    return f'<div class="wide" tabindex="0">{table}</div>\n'
