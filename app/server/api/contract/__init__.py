"""Contract of the OpenAPI document with generators of clients."""

from app.server.api.contract.document import PROBLEM_REFERENCE, DocumentedApp
from app.server.api.contract.operations import RESULT_CONTENT, allowed_methods, operation_id

__all__ = ["PROBLEM_REFERENCE", "RESULT_CONTENT", "DocumentedApp", "allowed_methods", "operation_id"]
