"""Car with trailer: how fast and how well damped does the trailer swing? Expected: 0.58 Hz, damping ratio 0.23."""

import numpy as np

import jounce as jn

MASS, INERTIA, CENTER, AXLE, CORNERING, SPEED = 1200.0, 2000.0, 3.4, 3.5, 60e3, 100 / 3.6  # SI, from the hitch

s = jn.System("car_trailer")
car = s.prismatic("car", s.world, axis="x")  # a heavy car that keeps its track
s.body("car_mass", car.frame, 1800.0)
hitch = car.frame.fixed("hitch", offset=(-2.0, 0, 0.4))

root = s.unit("trailer", at=hitch)  # its speeds are eliminated on their own, before it is joined to the car
trailer = s.revolute("trailer", root, axis="z")
s.body("trailer_mass", trailer.frame, MASS, inertia=(0, 0, INERTIA), center=(-CENTER, 0, 0))
axle = (-AXLE, 0, 0)
forward, left, _ = trailer.frame.point_velocity(axle)  # in axes of the trailer
s.force(trailer.frame, (0, -CORNERING * left / forward, 0), at=axle)
s.output("trailer.angle", trailer.q[0], "rad", "positive when the front of the trailer points left")
s.output("car.speed", car.u[0], "m/s")

sim = jn.Simulation(jn.build(s), method="AM-2")
sim.set_states({"car.rate": SPEED, "trailer.angle": "5 deg"})
run = sim.run(5.0, interval=0.01)

straight = jn.Simulation(sim.library)
straight.set_states({"car.rate": SPEED})
modes = jn.Lineariser(s).at(straight).eigenvalues(["trailer.angle", "trailer.rate"])
about_hitch = INERTIA + MASS * CENTER**2
assert np.allclose(np.poly(modes), [1, CORNERING * AXLE**2 / SPEED / about_hitch, CORNERING * AXLE / about_hitch])
natural, ratio = abs(modes[0]), -modes[0].real / abs(modes[0])
print(f"natural frequency {natural / (2 * np.pi):.2f} Hz, damping ratio {ratio:.2f}")

crossings = run.time[1:][np.diff(np.sign(run["trailer.angle"])) != 0]
assert np.isclose(np.mean(np.diff(crossings)), np.pi / natural / np.sqrt(1 - ratio**2), rtol=0.02)
