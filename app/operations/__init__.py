"""What can be asked, one module per verb: a request, a typed answer, and the steps of a job where it can run long."""
