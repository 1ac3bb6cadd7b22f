"""The kinds of arrays that everything below the frames is made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger[Any]]
Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]
