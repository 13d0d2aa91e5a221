"""Quarter car over a bump: describe, compile, linearise, run. Expected: 1.32 Hz and 11.59 Hz."""

import numpy as np

import jounce as jn

s = jn.System("quarter_car", gravity=(0, 0, 0))  # coordinates count from the static position
sprung = s.parameter("sprung_mass", "300 kg", "kg", "body mass on this wheel")
unsprung = s.parameter("unsprung_mass", "40 kg", "kg", "wheel and carrier")
spring = s.parameter("spring", "22 N/mm", "N/m", "suspension spring")
tire = s.parameter("tire", "200 N/mm", "N/m", "tire stiffness")
road = s.input("road", "m", "height of the road under the wheel")
knees = [-1.0, -0.2, 0.0, 0.2, 1.0], [-900.0, -320.0, 0.0, 420.0, 1500.0]  # m/s, N
damper = s.table("damper", jn.Table(*knees, method="akima", extrapolation="linear"))

body, wheel = (s.prismatic(name, s.world, axis="z") for name in ("body", "wheel"))
s.body("body_mass", body.frame, sprung)
s.body("wheel_mass", wheel.frame, unsprung)
strut = spring * (body.q[0] - wheel.q[0]) + damper(body.u[0] - wheel.u[0])  # tension
s.generalized_force(body.u[0], -strut)
s.generalized_force(wheel.u[0], strut - tire * (wheel.q[0] - road))
s.output("body.acceleration", s.acceleration(body.u[0]), "m/s2", "vertical")
s.output("tire.load_change", tire * (road - wheel.q[0]), "N", "from the static load")

sim = jn.Simulation(jn.build(s), method="AM-2", step=0.001)
linear = jn.Lineariser(s).at(sim)
assert np.isclose(np.prod(linear.eigenvalues()), 22e3 * 200e3 / (300 * 40))  # det A, whatever the damper
print("natural frequencies, Hz:", np.unique(np.round(np.abs(linear.eigenvalues()) / (2 * np.pi), 2)))
bump = jn.Program(
    jn.Phase("bump", [jn.Open("road", jn.Pulse("50 mm", plateau=0.1, rise=0.05, fall=0.05, smooth=True))])
)
run = sim.run(2.0, program=bump, interval=0.01)
print(
    f"largest acceleration {np.abs(run['body.acceleration']).max():.2f} {run.unit('body.acceleration')}, {run.reason}"
)
