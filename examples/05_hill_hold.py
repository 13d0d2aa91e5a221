"""Speed control on a hill, then a brake that holds. Expected: 10 m/s within 1 %, then stand still within 1 µm."""

import numpy as np

import jounce as jn

MASS = 1500.0
s = jn.System("hill")
slope = s.parameter("slope", "8 deg", "rad", "uphill")
target = s.input("target", "m/s", "wanted speed")
brake = s.input("brake", "N", "largest friction force of the brake")
engaged = s.input("engaged", "-", "1 while the speed control drives", default=1.0)
road = s.world.fixed("road", rotations=(("y", -slope),))  # positive pitch is nose down
car = s.prismatic("car", road, axis="x")
s.body("mass", car.frame, MASS)

control = s.block("control", "10 ms")
drive = control.signal("drive", "N", "held between samples")
integral = control.signal("integral", "N")
error = target - car.u[0]
control.update(integral, jn.ops.if_else(engaged > 0.5, integral + 600.0 * error * control.period, 0.0))
control.update(drive, jn.ops.if_else(engaged > 0.5, jn.ops.clip(2000.0 * error + integral, 0.0, 6000.0), 0.0))

# sticking is a spring k with a damper: resolved when h < 2 sqrt(m/k) = 77 ms, quiet when c is about 2 sqrt(k m)
friction = jn.coulomb(s, "disc", car.u[0], limit=brake, stiffness=1e6, damping=2 * (1e6 * MASS) ** 0.5)
s.generalized_force(car.u[0], drive - friction)
s.output("speed", car.u[0], "m/s")
s.output("distance", car.q[0], "m")
s.output("drive", drive, "N")

up = [jn.Open("target", jn.Ramp("10 m/s", duration=5.0)), jn.Open("engaged", 1.0), jn.Open("brake", 0.0)]
stop = [jn.Open("engaged", 0.0), jn.Open("brake", jn.Ramp("9 kN", duration=0.3))]  # target keeps its last value
program = jn.Program(jn.Phase("drive", up, duration="20 s"), jn.Phase("brake", stop, duration="30 s"))
sim = jn.Simulation(jn.build(s), method="AM-2", step="1 ms")
run = sim.run(program=program, interval="0.1 s")

before, standing = run.time < 20.0, run.time > 30.0
weight = MASS * 9.80665 * np.sin(np.radians(8))
assert np.isclose(run["speed"][before][-1], 10.0, rtol=0.01) and np.isclose(run["drive"][before][-1], weight, rtol=0.01)
assert np.ptp(run["distance"][standing]) < 1e-6
print(f"drive force {run['drive'][before][-1]:.0f} N, weight along the hill {weight:.0f} N; {run.reason}")
