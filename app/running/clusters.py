"""Connections to clusters of Ray, whose package is an extra."""

from typing import Any

from app.errors import InputError
from app.running.extras import package_of

__all__ = ["connected"]


def connected(address: str) -> Any:
    """Ray, connected to the cluster at an address; InputError (`invalid-request`) without its package or the cluster."""
    ray = package_of("ray", "cluster")
    if not ray.is_initialized():
        try:
            # `auto` of Ray fails without a running cluster; without an address it looks for one, and starts one here.
            ray.init(address=None if address == "auto" else address, log_to_driver=False, include_dashboard=False)
        except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            raise InputError("invalid-request", f"no cluster of Ray at {address}: {_reason(error)}", ("cluster",)) from None
    return ray


def _reason(error: BaseException) -> str:
    """The message of an error, and of its cause the last line, which names a refused token."""
    if "ray[client]" in str(error):
        return "addresses with ray:// need packages that are missing here: pip install 'assay[cluster]'"
    lines = [line for line in str(error.__cause__ or "").splitlines() if line.strip()]
    return f"{error}; {lines[-1].strip()}" if lines else str(error)
