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
        except ImportError:
            # `ray://` needs more packages of Ray, which the extra has.
            raise missing_extra("ray", "cluster") from None
        except (ConnectionError, ValueError, ray.exceptions.RayError, RuntimeError) as error:
            raise InputError("invalid-request", f"no cluster of Ray at {address}: {error}", ("cluster",)) from None
    return ray
