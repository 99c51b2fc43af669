"""Operations, one module per verb: request, typed answer, and the steps of a job if it can run long."""
