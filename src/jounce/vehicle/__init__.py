"""The data of a vehicle and the files it stands in.

import jounce.vehicle as jv

car = jv.load("folder")                                        # or a file, or a name of the library
car = car.with_(**{"front_suspension.spring.rate": "32 N/mm"})  # a copy; the original is untouched
car.save("elsewhere")
"""

from __future__ import annotations

from jounce.core.curves import Curve, CurveUnits
from jounce.core.references import FileReference
from jounce.vehicle.reading import library_names, load
from jounce.vehicle.schema import Difference, Vehicle

__all__ = ["Curve", "CurveUnits", "Difference", "FileReference", "Vehicle", "library_names", "load"]
