"""Four-bar linkage closed by a loop constraint: does it follow the closed form? Expected: yes, to 1e-12 rad."""

import numpy as np

import jounce as jn

GROUND, CRANK, COUPLER, ROCKER = 0.5, 0.15, 0.45, 0.3  # m; motion in the x-z plane

s = jn.System("four_bar", gravity=(0, 0, 0))
crank = s.revolute("crank", s.world, axis="y", initial=-1.0)
coupler = s.revolute("coupler", crank.frame, axis="y", offset=(CRANK, 0, 0), initial=0.5)
rocker = s.revolute("rocker", s.world, axis="y", offset=(GROUND, 0, 0), initial=-1.5)
for joint, length in ((crank, CRANK), (coupler, COUPLER), (rocker, ROCKER)):
    name = joint.frame.name
    s.body(name, joint.frame, 2.0 * length, inertia=(0, 2.0 * length**3 / 12, 0), center=(length / 2, 0, 0))
pin = s.coincide("pin", coupler.frame, rocker.frame, at_a=(COUPLER, 0, 0), at_b=(ROCKER, 0, 0), directions="xz")
s.output("crank", crank.q[0], "rad")
s.output("rocker", rocker.q[0], "rad")
s.output("pin.force", jn.ops.hypot(pin[0], pin[1]), "N", "between coupler and rocker")


def rocker_angle(crank_angle):
    """Closed form: the triangle rocker, coupler and diagonal, on the side where the linkage was assembled."""
    x, z = CRANK * np.cos(crank_angle), -CRANK * np.sin(crank_angle)  # of the crank's end; positive turns z into x
    diagonal = np.hypot(GROUND - x, z)
    inner = np.arccos((diagonal**2 + ROCKER**2 - COUPLER**2) / (2 * diagonal * ROCKER))
    return -(np.arctan2(z, x - GROUND) - inner)


sim = jn.Simulation(jn.build(s), method="AM-4", step=0.001)
sim.set_states({"crank.rate": "10 rad/s"})
sim.project = True  # the loop stays closed to rounding
sim.make_consistent()  # the initial angles above are rough: positions first, then speeds
run = sim.run(2.0, interval=0.01)
error = np.angle(np.exp(1j * (run["rocker"] - rocker_angle(run["crank"]))))  # without full turns
assert np.abs(error).max() < 1e-12
turns = (run["crank"][-1] - run["crank"][0]) / (2 * np.pi)
print(f"{turns:.1f} turns, angle error {np.abs(error).max():.0e} rad, pin force up to {run['pin.force'].max():.1f} N")
