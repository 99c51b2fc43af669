"""Encoders of sentences in ONNX: a folder with a graph and its tokeniser, run by onnxruntime."""

from app.resources.encoders.onnx.exported import ExportedEncoder, open_exported
from app.resources.encoders.onnx.folder import holds_a_model
from app.resources.encoders.onnx.sessions import graph_of_file

__all__ = ["ExportedEncoder", "graph_of_file", "holds_a_model", "open_exported"]
