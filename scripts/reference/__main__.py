"""Write docs/reference and the tables inside further pages; print the names of changed files."""

from app.settings import ROOT
from scripts.reference.pages import reference_pages, with_tables

__all__: list[str] = []


def main() -> None:
    docs = ROOT / "docs"
    (docs / "reference").mkdir(exist_ok=True)
    texts = {docs / "reference" / name: text for name, text in reference_pages().items()}
    for path in sorted(docs.rglob("*.md")):
        if path not in texts:
            texts[path] = with_tables(path.read_text("utf-8"))
    for path, text in texts.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(ROOT))


main()
