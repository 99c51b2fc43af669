"""Recipes that other tools import, Weblate's checks and EOLE's metric, on classes of the form that these tools publish."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from app.settings import ROOT
from tests.servers import Server, free_port

EXAMPLES = ROOT / "examples"
ROMANIAN = "Trenul {name} pleacă la ora 8."
GOOD = "The train {name} leaves at 8."


class TargetCheck:
    """Base of Weblate's checks of translations: `check_single` for each form, and a fixed description."""

    check_id = ""
    name = description = ""

    def check_target_unit(self, sources: list[str], targets: list[str], unit: Any) -> bool:
        return any(self.check_single(source, target, unit) for source, target in zip(sources, targets, strict=False))

    def check_single(self, source: str, target: str, unit: Any) -> bool:
        raise NotImplementedError

    def get_description(self, check_obj: Any) -> str:
        return self.description


class Scorer:
    """Base of EOLE's scorers: the configuration, and one number for all outputs."""

    def __init__(self, config: object) -> None:
        self.config = config


def module(name: str, **members: object) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(members)
    return made


def imported(path: Path, monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Any:
    for each in modules:
        monkeypatch.setitem(sys.modules, each.__name__, each)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def settings(server: Server) -> SimpleNamespace:
    return SimpleNamespace(ASSAY_URL=server.address)


@pytest.fixture
def checks(settings: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def format_html_join(separator: str, form: str, rows: Any) -> str:
        return separator.join(form.format(*row) for row in rows)

    modules = [module(name) for name in ("django", "django.utils", "weblate", "weblate.checks")]
    modules += [
        module("django.conf", settings=settings),
        module("django.utils.html", format_html_join=format_html_join),
        module("django.utils.translation", gettext_lazy=lambda text: text),
        module("weblate.checks.base", TargetCheck=TargetCheck),
    ]
    return imported(EXAMPLES / "weblate" / "assay_checks.py", monkeypatch, *modules)


def unit(sources: list[str], targets: list[str], names: tuple[str, ...] = ()) -> Any:
    component = SimpleNamespace(source_language=SimpleNamespace(code="ro"))
    translation = SimpleNamespace(language=SimpleNamespace(code="en_GB"), component=component)
    return SimpleNamespace(
        translation=translation, all_checks_names=set(names), get_source_plurals=lambda: sources, get_target_plurals=lambda: targets
    )


@pytest.mark.parametrize(
    ("target", "has_error"), [(GOOD, False), ("The train {nume} leaves at 8.", True), ("The train leaves at 9.", True)]
)
def test_weblate_shows_errors(checks: Any, target: str, has_error: bool) -> None:
    string = unit([ROMANIAN], [target])
    assert checks.AssayErrorCheck().check_target_unit([ROMANIAN], [target], string) is has_error
    description = checks.AssayErrorCheck().get_description(SimpleNamespace(unit=string))
    assert ("placeholders: {name}" in description) is has_error
    assert has_error or description == "Assay found an error in the translation"


def test_weblate_shows_low_quality(checks: Any, settings: SimpleNamespace) -> None:
    string = unit([ROMANIAN], [GOOD])
    check = checks.AssayQualityCheck()
    assert check.check_target_unit([ROMANIAN], [GOOD], string) is False
    settings.ASSAY_MIN_QUALITY = 1.0
    assert check.check_target_unit([ROMANIAN], [GOOD], string) is True


def test_checks_of_weblate_stay_without_an_answer(checks: Any, settings: SimpleNamespace) -> None:
    settings.ASSAY_URL = f"http://127.0.0.1:{free_port()}"
    for check in (checks.AssayErrorCheck(), checks.AssayQualityCheck()):
        assert check.check_single(ROMANIAN, "{", unit([ROMANIAN], ["{"])) is False
        assert check.check_single(ROMANIAN, "{", unit([ROMANIAN], ["{"], (check.check_id,))) is True


@pytest.fixture
def metric(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class that EOLE finds under the name ASSAY."""
    registry: dict[str, Any] = {}

    def register_scorer(metric: str) -> Callable[[type], type]:
        return lambda scorer: registry.setdefault(metric, scorer)

    modules = [
        module("eole"),
        module("eole.scorers", register_scorer=register_scorer),
        module("eole.scorers.scorer", Scorer=Scorer),
    ]
    imported(EXAMPLES / "eole" / "assay_scorer.py", monkeypatch, *modules)
    monkeypatch.setenv("ASSAY_URL", server.address)
    monkeypatch.setenv("ASSAY_PAIR", "ro-en")
    assert issubclass(registry["ASSAY"], Scorer)
    return registry["ASSAY"]


def test_eole_has_the_mean_quality_of_its_outputs(metric: Any) -> None:
    sources = ["Casa este mare.", "Nu știu unde este gara."]
    scorer = metric(None)
    good = scorer.compute_score(["The house is big.", "I do not know where the station is."], [], sources)
    poor = scorer.compute_score(["Big big the of.", "Where railway not not."], [], sources)
    assert 0 <= poor < good <= 1 and scorer.compute_score([], [], []) == 0
    with pytest.raises(ValueError, match="needs the sources"):
        scorer.compute_score(["The house is big."], ["A house."])
    with pytest.raises(ValueError, match="argument"):
        scorer.compute_score(["The house is big."], [], sources)
