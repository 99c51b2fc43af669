"""The action of GitHub: its commit to compare with, for pull requests and for pushes."""

import re
import subprocess

import pytest
import yaml

from app.settings import ROOT

ACTION = yaml.safe_load((ROOT / "deploy/github/action.yml").read_text())
[STEP] = [step for step in ACTION["runs"]["steps"] if "assay review" in step.get("run", "")]
ZEROS = "0" * 40


def test_a_push_compares_with_the_commit_before_it() -> None:
    """GitHub takes the first of these that is not empty."""
    parts = re.fullmatch(r"\$\{\{ (.+) \}\}", ACTION["inputs"]["since"]["default"])
    assert parts is not None
    names = [part.split(" && ")[0].split("(")[0] for part in parts[1].split(" || ")]
    assert names == ["github.base_ref", "github.event.before", "format"]


@pytest.mark.parametrize(
    ("since", "result"), [("origin/main", "origin/main"), ("0a" * 20, "0a" * 20), (ZEROS, "origin/trunk"), ("v1.0", "v1.0")]
)
def test_the_first_push_of_a_branch_compares_with_the_default_branch(since: str, result: str) -> None:
    script = STEP["run"].split("assay review")[0] + 'echo "$SINCE"'
    environment = {"SINCE": since, "DEFAULT_BRANCH": "trunk", "PATH": "/usr/bin:/bin"}
    out = subprocess.run(["bash", "-e", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout
    assert out == f"{result}\n"
