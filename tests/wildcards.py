"""Names of channels and shell patterns, for whatever filters."""

NAMES = [
    "chassis_velocities.yaw",
    "Vehicle.Global_Omega_Z",
    "Tire.Ground_Surface_Force_Z.L1",
    "Tire.Ground_Surface_Force_Z.R1",
    "Tire.Ground_Surface_Force_Z.L2_twin",
    "driver_demands.steering",
    "a[b]c",
]
PATTERNS = [
    "*", "?", "*yaw*", "*YAW", "Tire.*.L1", "tire.*_z.[lr]?", "*.[LR][12]", "*[!1]", "*.[!a-z]*", "*_velocities.ya?",
    "*twin", "*_*_*", "[dv]*", "[!dv]*", "a[[]b]c", "*steer", "*.L?", "*.[L-R]1", "????*", "*Force_[X-Z].*",
]  # fmt: skip
