"""The cross-encoder that a server of this checkout would ask."""

from app.predictors.cross_encoder import CrossEncoder
from app.registry.models import ModelRegistry
from app.settings import Settings

__all__ = ["served_network"]


def served_network() -> CrossEncoder:
    """The first usable network of the models; SystemExit without one."""
    network = ModelRegistry(Settings().models_dir).cross_encoders.first()
    if network is None:
        raise SystemExit("there is no cross-encoder that can be used")
    return network
