"""Many variants at once, and the best one as plain C. Expected: a damper of 2.83 kN.s/m; C and Python agree exactly."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import jounce as jn

s = jn.System("comfort", gravity=(0, 0, 0))
mass, spring = s.parameter("mass", "400 kg", "kg"), s.parameter("spring", "20 N/mm", "N/m")
damper = s.parameter("damper", "1 kN.s/m", "N.s/m")
body = s.prismatic("body", s.world, axis="z", initial=0.05)  # let go 50 mm above its rest
s.body("body", body.frame, mass)
s.generalized_force(body.u[0], -spring * body.q[0] - damper * body.u[0])
s.output("height", body.q[0], "m")

library = jn.build(s)
dampers = np.linspace(500.0, 5000.0, 181)  # 25 N.s/m apart
runs = [jn.Variant({"damper": c}, name=f"{c:g} N.s/m") for c in dampers]
results = jn.batch(library, runs, t_end="5 s", step="1 ms", method="AM-4", channels=["height"])
assert all(result.ok for result in results)
squares = [np.sum(result["height"] ** 2) for result in results]
best = dampers[int(np.argmin(squares))]
assert np.isclose(best, np.sqrt(20e3 * 400), rtol=0.01)  # ∫ z² dt is least at a damping ratio of 1/2
print(f"best damper {best:.0f} N.s/m")

sim = jn.Simulation(library, method="AM-4", step="1 ms")
sim.set_parameters({"damper": best})
with tempfile.TemporaryDirectory() as name:
    folder = jn.export_c(Path(name) / "comfort", sim, t_end="5 s", interval="10 ms")
    print("exported", len(list(folder.glob("*.c"))), "C files")
    if shutil.which("make") and shutil.which("cc"):
        subprocess.run(["make", "-s", "-C", folder], check=True)
        text = subprocess.run([folder / "comfort"], check=True, capture_output=True, text=True).stdout
        rows = np.array([line.split(",") for line in text.splitlines() if line[:1].isdigit()], dtype=float)
        assert np.array_equal(rows[:, 1], sim.run("5 s", interval="10 ms")["height"])  # the same bits
        print("the C program gives the same", len(rows), "rows")
