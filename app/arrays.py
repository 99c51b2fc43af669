"""Names for the array types that pass between floors."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Float32s", "Float64s", "Int8s", "Int16s", "Int32s", "Int64s", "UInt8s", "UInt16s", "UInt32s", "UInt64s"]

Bools: TypeAlias = NDArray[np.bool_]
Float32s: TypeAlias = NDArray[np.float32]
Float64s: TypeAlias = NDArray[np.float64]
Int8s: TypeAlias = NDArray[np.int8]
Int16s: TypeAlias = NDArray[np.int16]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
UInt8s: TypeAlias = NDArray[np.uint8]
UInt16s: TypeAlias = NDArray[np.uint16]
UInt32s: TypeAlias = NDArray[np.uint32]
UInt64s: TypeAlias = NDArray[np.uint64]
