"""Half car in gravity: how far does it sag, and how does it bounce and pitch? Expected: 106 mm, 1.53 Hz, 1.63 Hz."""

import numpy as np

import jounce as jn

GRAVITY = 9.80665  # m/s2, the default of a System
MASS, INERTIA, FRONT, REAR = 690.0, 1100.0, 1.2, 1.5  # kg, kg.m2, distance of the axles from the centre of mass in m

s = jn.System("half_car")
mass = s.parameter("mass", MASS, "kg", "sprung mass")
heave = s.prismatic("heave", s.world, axis="z")
pitch = s.revolute("pitch", heave.frame, axis="y")  # positive nose down
s.body("body", pitch.frame, mass, inertia=(0, INERTIA, 0))

# compression in m to force in N: 20 N/mm, and a bump stop from 150 mm on; a table is flat outside unless told otherwise
spring = s.table("spring", jn.Table([-0.2, 0.15, 0.25], [-4000.0, 3000.0, 13000.0], extrapolation="linear"))
damper = s.table("damper", jn.Table([-1.0, 0.0, 1.0], [-1500.0, 0.0, 3000.0], method="akima", extrapolation="linear"))
for name, x, share in (("front", FRONT, 1.0), ("rear", -REAR, FRONT / REAR)):
    axle = s.scope(name)  # what is declared here is called front.springs, front.load, ...
    springs = axle.parameter("springs", 1.78 * share, "-", "springs and dampers of this axle, as a factor")
    corner = pitch.frame.point((x, 0, 0))  # world axes
    rise = pitch.frame.to_world(pitch.frame.point_velocity((x, 0, 0)))[2]
    load = springs * (spring(-corner[2]) - damper(rise))
    axle.output("load", load, "N", "vertical force on the body")
    s.force(pitch.frame, (0, 0, load), at=(x, 0, 0), axes=s.world)

sim = jn.Simulation(jn.build(s), method="AM-2")
lineariser = jn.Lineariser(s)
jn.find_equilibrium(sim, lineariser, free=["heave.travel", "pitch.angle"], balance=["*.rate"])
sag, angle = -sim.state("heave.travel"), sim.state("pitch.angle")
stiffness = 1.78 * 20e3, 1.78 * 20e3 * FRONT / REAR  # FRONT k_front = REAR k_rear: it sags level, the modes decouple
assert np.isclose(sag, MASS * GRAVITY / sum(stiffness)) and abs(angle) < 1e-9
assert np.isclose(sim.output("front.load"), MASS * GRAVITY * REAR / (FRONT + REAR))

found = np.sort(np.abs(lineariser.at(sim).eigenvalues())[::2]) / (2 * np.pi)
bounce, turn = sum(stiffness) / MASS, (stiffness[0] * FRONT**2 + stiffness[1] * REAR**2) / INERTIA
assert np.allclose(found, np.sort(np.sqrt([bounce, turn])) / (2 * np.pi))
print(f"sag {1000 * sag:.0f} mm; bounce and pitch at {found[0]:.2f} Hz and {found[1]:.2f} Hz")
