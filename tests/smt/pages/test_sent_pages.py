"""Pages of commands, opened as files: nothing is loaded or refused, nothing is cut, and axe-core finds no fault."""

from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

from app.smt.commands.corpus.reordering_page import reordering_page
from app.smt.preordering.profile import profile_of
from app.smt.reordering.drawings import svg_of_trees
from app.smt.reordering.trees import tree_of
from tests.browser.looking import shoot
from tests.smt.commands.test_word_order import CORPUS


def test_page_of_reordering(browser: Browser, tmp_path: Path) -> None:
    profile = profile_of(CORPUS)
    path = tmp_path / "page.html"
    for colours in ("light", "dark"):
        path.write_text(reordering_page({"אבג": profile, "a long name of a corpus without end": profile}), "utf-8")
        # The page's policy refuses the script of axe-core, so that another page of the same file runs it.
        for checked in (False, True):
            context = browser.new_context(color_scheme=colours, bypass_csp=checked)
            page = context.new_page()
            problems: list[str] = []
            page.on("console", lambda message, problems=problems: problems.append(message.text))
            page.on("request", lambda request, problems=problems: problems.append(request.url))
            page.goto(path.as_uri())
            assert problems == [path.as_uri()]
            if checked:
                shoot(page, f"reordering-{colours}")
            context.close()


# Rectangles of texts that meet, or leave the drawing.
FAULTS = """() => {
  const frame = document.querySelector("svg").getBoundingClientRect(), texts = [...document.querySelectorAll("text")];
  const places = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return places.flatMap(([text, a], i) => [
    ...(a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom ? [text] : []),
    ...places.slice(i + 1, i + 200).filter(([, b]) => meet(a, b)).map(([other]) => `${text} on ${other}`),
  ]);
}"""
SENTENCES = [
    "der Mann hat die Frau gesehen .", "أخيرا العالم، الجديد !", "שלום עולם (כן) .", "我们 在 北京大学 学习 。", "Щука жуёт щавель",
    "Donaudampfschifffahrtsgesellschaftskapitänsmütze WWWW MMMMM www mmm", "word " * 60,
]  # fmt: skip


def test_words_of_drawn_trees_do_not_meet(browser: Browser) -> None:
    rng = np.random.default_rng(1)
    trees = []
    for sentence in SENTENCES * 29:
        words = sentence.split()
        ranks = np.arange(len(words))
        for _ in range(3):
            begin, middle, end = sorted(rng.integers(0, len(words) + 1, 3))
            ranks[begin:end] = np.concatenate([ranks[middle:end], ranks[begin:middle]])
        trees.append((tree_of(ranks), words))
    page = browser.new_page()
    page.set_content(svg_of_trees(trees[:200]))
    assert page.evaluate(FAULTS) == []
    # Punctuation stands at the end of a word as its script has it: left of Arabic words.
    page.set_content(svg_of_trees([(tree_of(np.arange(2)), ["العالم،", "abc,"])]))
    commas = "[...document.querySelectorAll('text:not(.label)')].map(text => text.getExtentOfChar(text.getNumberOfChars() - 1).x"
    assert page.evaluate(f"{commas} - text.getExtentOfChar(0).x > 0)") == [False, True]
    page.close()
