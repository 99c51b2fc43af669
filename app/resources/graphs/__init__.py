"""Graphs in ONNX, run by onnxruntime on one core."""

from app.resources.graphs.sessions import graph_of_file, open_graph

__all__ = ["graph_of_file", "open_graph"]
