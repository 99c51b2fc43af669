"""What is shipped for running a server: the image's recipe, compose files, the unit of systemd, Caddy's file.

compose-spec.json is the schema of the Compose Specification (github.com/compose-spec/compose-spec, Apache-2.0, copyright 2020
The Compose Specification Authors), unchanged.
"""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from app.settings import ROOT, Settings

DEPLOY = ROOT / "deploy"
COMPOSE = {"alone": ROOT / "docker-compose.yml", "whole": DEPLOY / "compose.yml"}
UNIT = DEPLOY / "assay.service"
# systemd's exposure level times ten; a service that says nothing has 96.
MOST_EXPOSED = 15
NUMBA = "MemoryDenyWriteExecute cannot be"


def compose(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(COMPOSE[name].read_text())
    return content


def services() -> list[tuple[str, str]]:
    return [(name, service) for name in COMPOSE for service in compose(name)["services"]]


@pytest.mark.parametrize("name", COMPOSE)
def test_compose_files_are_as_the_specification_says(name: str) -> None:
    schema = json.loads((Path(__file__).parent / "compose-spec.json").read_text())
    assert not [(list(error.path), error.message) for error in Draft7Validator(schema).iter_errors(compose(name))]


@pytest.mark.parametrize(("name", "service"), services())
def test_containers_may_no_more_than_they_need(name: str, service: str) -> None:
    container = compose(name)["services"][service]
    assert container["read_only"] and container["cap_drop"] == ["ALL"] and container["init"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["pids_limit"] and container["mem_limit"]
    assert not container.get("privileged") and "network_mode" not in container
    # Only Caddy is for everybody; and names whatever it mounts beside volumes from its own folder.
    for port in container.get("ports", []):
        assert service == "caddy" or port.startswith("127.0.0.1:")
    for volume in container.get("volumes", []):
        source = volume.split(":")[0]
        assert source.startswith("./") or source in compose(name)["volumes"]
    assert not any("password" in line.lower() and "_FILE" not in line for line in container.get("environment", {}))


def test_what_compose_files_name_is_there() -> None:
    whole = compose("whole")
    for service in whole["services"].values():
        for secret in service.get("secrets", []):
            assert secret in whole["secrets"]
        for variable in service.get("environment", {}):
            if variable.startswith("ASSAY_") and service.get("image", "").startswith("assay"):
                assert variable.removeprefix("ASSAY_").lower() in Settings.model_fields, variable
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith("./") or source == "./backups" or (DEPLOY / source).is_file(), source
    assert {name for name in whole["secrets"] if name.startswith("assay_")} <= {f"assay_{name}" for name in Settings.model_fields}
    # Assay and the database are on networks that lead nowhere.
    for name in ("assay", "postgres", "backup-database", "backup-state"):
        assert all(whole["networks"][network]["internal"] for network in whole["services"][name]["networks"]), name
    proxy = whole["services"]["caddy"]["networks"]["inside"]["ipv4_address"]
    assert whole["services"]["assay"]["environment"]["ASSAY_TRUSTED_PROXIES"] == proxy


def test_a_stop_waits_for_what_the_server_finishes() -> None:
    drain = float(Settings.model_fields["drain_seconds"].default)
    for name in COMPOSE:
        assert int(compose(name)["services"]["assay"]["stop_grace_period"].removesuffix("s")) >= drain + 15
    assert int(unit()["TimeoutStopSec"][-1]) >= drain + 15


def test_the_image_is_made_of_what_is_checked_and_runs_as_nobody() -> None:
    text = (ROOT / "Dockerfile").read_text()
    build, run = text.split("FROM ${BASE}\n")
    assert "--require-hashes -r requirements.lock" in build and "--no-cache-dir" in build
    assert "apt-get" not in run and "pip" not in run
    assert text.count("FROM ") == 2 and re.search(r"^ARG BASE=python:3\.\d+-slim-\w+$", build, re.MULTILINE)
    for line in ("USER 10001:10001", "STOPSIGNAL SIGTERM", "VOLUME /data", "HEALTHCHECK "):
        assert f"\n{line}" in run, line
    # Everything that is copied is let in by .dockerignore, and nothing else is.
    copied = {
        word.rstrip("/")
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", build, re.MULTILINE)
        for word in line.split()
        if not word.startswith("--")
    }
    ignore = (ROOT / ".dockerignore").read_text().split("\n")
    assert {line.removeprefix("!") for line in ignore if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)


def unit() -> dict[str, list[str]]:
    settings: dict[str, list[str]] = {}
    for line in UNIT.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


def test_the_unit_says_what_settings_there_are() -> None:
    assert NUMBA in UNIT.read_text() and "MemoryDenyWriteExecute" not in unit()
    variables = [word.partition("=")[0] for line in unit()["Environment"] for word in shlex.split(line)]
    variables += re.findall(r"^#?(ASSAY_\w+)=", (DEPLOY / "assay.env").read_text(), re.MULTILINE)
    assert {name.removeprefix("ASSAY_").lower() for name in variables if name.startswith("ASSAY_")} <= Settings.model_fields.keys()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_understood_and_confined(tmp_path: Path) -> None:
    there = tmp_path / UNIT.name
    # What it starts is in /opt on a server.
    there.write_text(UNIT.read_text().replace("/opt/assay/.venv/bin/python", "/bin/true"))
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", there], capture_output=True, text=True, check=False)
    assert (checked.returncode, [line for line in checked.stderr.splitlines() if UNIT.name in line]) == (0, [])
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", UNIT]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unrecognized option" in judged.stderr or "Unknown" in judged.stderr:
        pytest.skip("this systemd-analyze judges no files")
    assert judged.returncode == 0, judged.stdout[-400:]


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
@pytest.mark.parametrize("path", ["Caddyfile", "proxies/Caddyfile"])
def test_caddy_understands_its_files(path: str, tmp_path: Path) -> None:
    environment = {"ASSAY_SITE": "assay.example", "HOME": str(tmp_path), "PATH": "/usr/bin:/usr/local/bin"}
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / path]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # A line of warning says that it is not written as `caddy fmt` would.
    assert "not formatted" not in done.stderr
