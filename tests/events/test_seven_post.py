"""The seven-post rig: what is commanded is done, forces balance, transfer functions, tracking of a road."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from cars import balanced as balanced_car
from cars import compact, plain
from jounce.core.errors import ParameterError
from jounce.events.engine import Options, make_ready
from jounce.events.library.ride import Ride
from jounce.events.library.seven_post import SevenPost
from jounce.events.post_tracking import linear_model
from jounce.files.spc import Spc, spc_of_run, write_spc
from jounce.results.key_figures import posts, vibration
from jounce.results.run import Run
from jounce.results.signals import Array, low_pass
from jounce.rigs.suspension_rig import Load, Point, SuspensionRig

WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}
CODES = {"L1": "FL", "R1": "FR", "L2": "RL", "R2": "RR"}
G = 9.80665


def rig(name: str = "sedan", **values: Any) -> Run:
    return jounce.run(jounce.load(name), SevenPost(**values))


def replayed(path: Path, spc: Spc, **values: Any) -> Run:
    write_spc(spc, path / "posts.spc")
    return rig(excitation="file", file=str(path / "posts.spc"), **values)


def pads(run: Run) -> dict[str, Array]:
    return {wheel: run[f"Global_pad_disp.{words}"] for wheel, words in WORDS.items()}


def jacks(run: Run) -> Array:
    return np.sum([run[f"testrig.jack_vertical_force.{words}"] for words in WORDS.values()], axis=0)


def balanced(run: Run) -> None:
    """Actuators, downforces and weight against the acceleration of the whole car: to rounding of 16 kN."""
    down = sum(run[f"sevenpost.{name}_aero"] for name in ("F", "RL", "RR"))
    mass = jounce.load("sedan").mass()
    rest = jacks(run) - down - mass * (G + run["System_Mass_Center.Global_Az"])
    assert np.max(np.abs(rest)) < 1e-3


# --- pads under the tires --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def heave() -> Run:
    return rig(excitation="sine", frequency=1.0, peak_velocity=0.05, end_time=5.0)


def test_a_sine_moves_all_pads_alike(heave: Run) -> None:
    t = heave.time
    assert heave.complete
    amplitude = 0.05 / (2 * math.pi)
    for wheel, z in pads(heave).items():
        assert z == pytest.approx(-amplitude * np.cos(2 * math.pi * t), abs=1e-6)
        assert heave[f"sevenpost.{CODES[wheel]}_target"] == pytest.approx(z, abs=1e-6)
        assert heave[f"sevenpost.{CODES[wheel]}_preprocessed"] == pytest.approx(z, abs=1e-6)
        assert heave[f"Global_pad_vel.{WORDS[wheel]}"] == pytest.approx(0.05 * np.sin(2 * math.pi * t), abs=1e-5)
        curve = 0.05 * 2 * math.pi * np.cos(2 * math.pi * t)
        assert heave[f"Global_pad_acc.{WORDS[wheel]}"] == pytest.approx(curve, abs=1e-3)


def test_it_starts_at_rest_in_equilibrium(heave: Run) -> None:
    """Also with pads that do not start at zero: the car stands on them."""
    assert heave["Vehicle.CM_Global_And_Tracking_Az"][0] == pytest.approx(0.0, abs=1e-3)
    assert heave["Vehicle.CM_Global_And_Tracking_Vz"][0] == pytest.approx(0.0, abs=1e-9)
    assert jacks(heave)[0] == pytest.approx(jounce.load("sedan").mass() * G, rel=1e-6)


def test_forces_balance_and_the_hubs_are_told(heave: Run) -> None:
    balanced(heave)
    for wheel, words in WORDS.items():
        z = heave[f"Wheel.Global_Z.{wheel}"]
        assert heave[f"Global_upright_disp.{words}"] == pytest.approx(z - z[0], abs=1e-9)
        speed = heave[f"Global_upright_vel.{words}"]
        assert speed == pytest.approx(heave[f"Wheel.Global_Vz.{wheel}"], abs=1e-9)
        rate = np.gradient(speed, heave.time)[5:-5]
        assert heave[f"Global_upright_acc.{words}"][5:-5] == pytest.approx(rate, abs=0.01)
        jounce_ = heave[f"Suspension.Jounce.{wheel}"]
        assert heave[f"testrig.wheel_travel_wrt_design.{words}"] == pytest.approx(jounce_, abs=1e-12)
        assert heave[f"testrig.wheel_travel.{words}"] == pytest.approx(jounce_ - jounce_[0], abs=1e-12)


def test_the_body_stays_where_it_is(heave: Run) -> None:
    last = heave.time > 4.0  # a whole period
    for axis in "XY":
        held = heave[f"Seven_Post.Held_{axis}"]
        assert abs(float(np.mean(held[last])) - held[0]) < 1e-3
    yaw = heave["chassis_displacements.yaw"]
    assert abs(float(np.mean(yaw[last])) - yaw[0]) < math.radians(0.1)


@pytest.mark.parametrize("moment", [1700.0, -1700.0])
def test_the_stake_holds_against_a_moment(moment: float) -> None:
    """It takes its stiffness times the turn, and with what the tires take it is as large as the moment."""
    still = SevenPost(excitation="sine", peak_velocity=1e-6, end_time=4.0)
    run = jounce.run(jounce.load("sedan"), still, inputs={"Ext_Body.moment.Z": moment})
    turned = run["chassis_displacements.yaw"][-1] - run["chassis_displacements.yaw"][0]
    held = run["Seven_Post.Holding_Moment_Z"][-1]
    assert held == pytest.approx(-1e5 * turned, rel=0.02)
    assert 0.05 < -held / moment < 1.0


@pytest.mark.parametrize(
    ("mode", "signs"), [("pitch", (1, 1, -1, -1)), ("roll", (1, -1, 1, -1)), ("warp", (1, -1, -1, 1))]
)
def test_modes_shake_the_body_their_way(heave: Run, mode: str, signs: tuple[int, ...]) -> None:
    run = rig(excitation="sine", mode=mode, frequency=1.0, peak_velocity=0.05, end_time=3.0)
    first = pads(heave)["L1"][: len(run.time)]
    for sign, z in zip(signs, pads(run).values(), strict=True):
        assert z == pytest.approx(sign * first, abs=1e-9)
    moved = {name: float(np.ptp(run[f"chassis_displacements.{name}"])) for name in ("roll", "pitch")}
    lifted = float(np.ptp(run["Vehicle.CM_Global_Z"]))
    if mode == "warp":
        assert moved["pitch"] < 0.1 * math.radians(0.5) and lifted < 1e-3
        return
    other = {"roll": "pitch", "pitch": "roll"}[mode]
    assert moved[mode] > 10 * moved[other]
    # at 1 Hz, below the resonance, the body goes the way of the plane of the pads, in the signs of the conventions
    plane = posts.modal(run, pads(run))[mode]
    assert np.corrcoef(plane[500:], run[f"chassis_displacements.{mode}"][500:])[0, 1] > 0.8


def columns(t: Array) -> dict[str, Array]:
    """Four posts that all differ, at rest at first."""
    s = np.sin(math.pi * t) ** 3
    return {"L1": 0.010 * s, "R1": -0.006 * s, "L2": 0.004 * s * s, "R2": 0.003 + 0.002 * s}


def test_displacements_of_a_file_are_the_pads(tmp_path: Path) -> None:
    t = 0.01 * np.arange(301)
    run = replayed(tmp_path, Spc(time=t + 7.0, columns=columns(t)))  # whatever its time begins with
    assert run.time[-1] == pytest.approx(3.0)
    for wheel, z in pads(run).items():
        assert z == pytest.approx(np.interp(run.time, t, columns(t)[wheel]), abs=2e-6)
    assert jacks(run)[0] == pytest.approx(jounce.load("sedan").mass() * G, rel=1e-6)  # it stands on R2 that is raised
    balanced(run)


@pytest.mark.parametrize("mode", ["VELOCITY", "ACCELERATION"])
def test_velocities_and_accelerations_are_integrated(tmp_path: Path, mode: Any) -> None:
    t = 0.0025 * np.arange(801)
    w = 2 * math.pi
    z = {wheel: a * (1 - np.cos(w * t)) for wheel, a in (("L1", 0.01), ("R1", -0.007), ("L2", 0.004), ("R2", 0.002))}
    turns = w * np.sin(w * t) if mode == "VELOCITY" else w * w * np.cos(w * t)
    rates = {wheel: turns * z[wheel][200] / 2 for wheel in z}  # z is twice its amplitude at half of the period
    run = replayed(tmp_path, Spc("OPEN", mode, time=t, columns=rates))
    for wheel, values in pads(run).items():
        # rows h apart, straight in between: (w h)^2/12 of the signal, twice that after two integrations
        assert values == pytest.approx(np.interp(run.time, t, z[wheel]), abs=2e-4 * np.max(np.abs(z[wheel])))
        told = run[f"sevenpost.{CODES[wheel]}_target"]  # as the file has it, in its unit
        assert told == pytest.approx(np.interp(run.time, t, rates[wheel]), abs=1e-9)
    assert run.unit("sevenpost.FL_target") == {"VELOCITY": "m/s", "ACCELERATION": "m/s2"}[mode]


def test_off_does_nothing_and_passthrough_what_the_run_says(tmp_path: Path) -> None:
    off = replayed(tmp_path, Spc("OFF"), end_time=1.0)
    assert all(np.ptp(z) == 0.0 for z in pads(off).values())
    assert np.ptp(off["Vehicle.CM_Global_Z"]) < 1e-6
    write_spc(Spc("PASSTHROUGH"), tmp_path / "open.spc")
    event = SevenPost(excitation="file", file=str(tmp_path / "open.spc"), end_time=1.0)
    given = jounce.run(jounce.load("sedan"), event, inputs={"road.R2": jounce.Sine(0.004, 1.0)})
    moved = pads(given)
    assert moved["R2"] == pytest.approx(0.004 * np.sin(2 * math.pi * given.time), abs=1e-9)
    assert np.ptp(moved["L1"]) == 0.0
    assert given["Wheel.Global_Z.R2"][125] - given["Wheel.Global_Z.R2"][0] > 0.003


def test_downforces_and_the_load_transfer_of_accelerations(tmp_path: Path) -> None:
    """Loads move by m h a over wheelbase and track, and by what the body's own shift of weight adds."""
    t = 0.01 * np.arange(901)
    data = dict.fromkeys(WORDS, 0.0 * t)
    data |= {"F_down": 0 * t + 400.0, "RL_down": 0 * t + 300.0, "RR_down": 0 * t + 200.0}
    data |= {"lonacc": 2.0 * (t > 3), "latacc": -3.0 * (t > 6)}  # a right turn from 6 s on
    spc = Spc(aerodynamics="DATA", accel_compensation=True, time=t, columns=data)
    run = replayed(tmp_path, spc)
    plain = replayed(tmp_path, spc, accel_compensation="off")
    for name, value in (("F", 400.0), ("RL", 300.0), ("RR", 200.0)):
        assert plain[f"sevenpost.{name}_aero"][600:] == pytest.approx(value)
        assert run[f"sevenpost.{name}_aero_target"][600:] == pytest.approx(value)
        assert run[f"sevenpost.{name}_aero"][700] == pytest.approx(value)  # before anything accelerates
        assert abs(run[f"sevenpost.{name}_aero"][2500] - value) > 100
    sums = [sum(each[f"sevenpost.{name}_aero"] for name in ("F", "RL", "RR")) for each in (run, plain)]
    assert sums[0] == pytest.approx(sums[1], abs=1e-6)
    balanced(run)
    car, rows = jounce.load("sedan"), {"lon": slice(2700, 3000), "both": slice(4200, 4500)}
    change = {w: run[f"Tire.Ground_Surface_Force_Z.{w}"] - plain[f"Tire.Ground_Surface_Force_Z.{w}"] for w in WORDS}
    mass, h = car.mass(), run["System_Mass_Center.Global_Z"][0]

    def mean(values: Array, of: str) -> float:
        return float(np.mean(values[rows[of]]))

    def shift(axis: str, of: str) -> float:
        """How far the centre of gravity of the car has moved, for its weight has a lever then."""
        moved = run[f"System_Mass_Center.Global_{axis}"] - plain[f"System_Mass_Center.Global_{axis}"]
        return mean(moved, of)

    x, y = ({w: run[f"Road.Contact_Patch_Global_{a}.{w}"] for w in WORDS} for a in "XY")
    # moments of the changes of load about the place where the car stood: exact in statics
    about_y = sum(-mean(change[w] * x[w], "lon") for w in WORDS)
    about_x = sum(mean(change[w] * y[w], "both") for w in WORDS)
    weight = mass * G + 900.0
    assert about_y == pytest.approx(mass * h * 2.0 - weight * shift("X", "lon"), rel=0.02)
    assert about_x == pytest.approx(mass * h * 3.0 + weight * shift("Y", "both"), rel=0.03)
    assert all(mean(change[w], "both") > 0 for w in ("L1", "L2"))  # the left side in a right turn
    assert mean(change["L1"] + change["R1"], "lon") < 0 < mean(change["L2"] + change["R2"], "lon")


def test_the_stroke_of_the_posts_is_kept_and_told(tmp_path: Path) -> None:
    t = 0.01 * np.arange(201)
    data = dict.fromkeys(WORDS, 0.02 * np.sin(math.pi * t) ** 3)
    run = replayed(tmp_path, Spc(time=t, columns=data), actuator_max_jounce=0.012, actuator_min_jounce=-0.015)
    assert max(z.max() for z in pads(run).values()) < 0.0125
    assert min(z.min() for z in pads(run).values()) > -0.0155
    assert any("cut off at their stroke, -15 to 12 mm" in text for text in run.warnings)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"excitation": "file"}, "file"),
        ({"file": "a.spc"}, "file"),
        ({"road": "flat"}, "pads of a rig are its road"),
        ({"first_frequency": 3.0, "last_frequency": 3.0}, "last_frequency"),
        ({"psd_fft": 3000, "psd_segment": 512}, "power of 2"),
        ({"speed": 3.0}, "speed"),
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        SevenPost(**values)


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    t = np.array([0.0, 8.0])
    with pytest.raises(ParameterError, match=r"column of L3; the vehicle has L1, R1, L2, R2"):
        replayed(tmp_path, Spc(time=t, columns={"L3": t}))
    with pytest.raises(ParameterError, match="actuators = 'hub' and body_fix"):
        replayed(tmp_path, Spc(time=t, columns={"L1_FY": t}))
    with pytest.raises(ParameterError, match="needs a column of R1, too"):
        replayed(tmp_path, Spc("TRACK_HUBACC", time=t, columns={"L1": t}))
    with pytest.raises(ParameterError, match="goes with pads"):
        replayed(tmp_path, Spc("TRACK_SPRING", time=t, columns=dict.fromkeys(WORDS, t)), actuators="hub")
    with pytest.raises(ParameterError, match="needs the columns lonacc and latacc"):
        replayed(tmp_path, Spc(time=t, columns={"L1": t}), accel_compensation="on")


# --- figures ---------------------------------------------------------------------------------------------------------


def synthetic(**parameters: Any) -> Run:
    """White noise at the hubs and the loads, known heave and pitch."""
    rng, t = np.random.default_rng(2), 0.002 * np.arange(100_000)
    channels, units = {}, {}
    for k, (wheel, words) in enumerate(WORDS.items(), 1):
        channels[f"Global_upright_acc.{words}"] = k * rng.normal(size=len(t))
        channels[f"Tire.Ground_Surface_Force_Z.{wheel}"] = 4000 + 100 * k * rng.normal(size=len(t))
        channels[f"Wheel.Global_X.{wheel}"] = 0 * t + (1.2 if wheel.endswith("1") else -1.6)
        channels[f"Wheel.Global_Y.{wheel}"] = 0 * t
        units |= {f"Global_upright_acc.{words}": "m/s2", f"Tire.Ground_Surface_Force_Z.{wheel}": "N"}
    channels |= {"Vehicle.CM_Global_X": 0 * t, "Vehicle.CM_Global_Y": 0 * t}
    channels["Vehicle.CM_Global_Z"] = 0.01 * rng.normal(size=len(t))
    channels["chassis_displacements.pitch"] = 0.005 * rng.normal(size=len(t))
    units |= {"Vehicle.CM_Global_Z": "m", "chassis_displacements.pitch": "rad"}
    units |= {name: "m" for name in channels if "Global_" in name and name not in units}
    described = {name: [value, "Hz" if name == "psd_sampling" else "-"] for name, value in parameters.items()}
    return Run(t, channels, units=units, metadata={"event": {"kind": "seven-post", "parameters": described}})


def test_power_spectra_have_the_level_of_white_noise(tmp_path: Path) -> None:
    run = synthetic(psd_segment=512.0, psd_overlap=0.5, psd_fft=1024.0)
    frequency, found = posts.psd(run)
    assert len(frequency) == 513
    for k, (wheel, words) in enumerate(WORDS.items(), 1):
        level, unit = found[f"Global_upright_acc.{words}"]
        # one-sided: 2 sigma^2 h; 390 sections, the mean over 500 lines to 1 %
        assert np.mean(level[4:-4]) == pytest.approx(2 * k**2 * 0.002, rel=0.02)
        assert unit == "m/s2"
        load = found[f"Tire.Ground_Surface_Force_Z.{wheel}"][0]
        assert np.mean(load[4:-4]) == pytest.approx(2 * (100 * k) ** 2 * 0.002, rel=0.02)
    heave, pitch = 2 * 0.01**2 * 0.002, 2 * 0.005**2 * 0.002
    assert np.mean(found["heave cg"][0][4:-4]) == pytest.approx(heave, rel=0.02)
    assert np.mean(found["pitch"][0][4:-4]) == pytest.approx(pitch, rel=0.02)
    assert np.mean(found["heave front"][0][4:-4]) == pytest.approx(heave + 1.2**2 * pitch, rel=0.02)  # independent
    assert np.mean(found["heave rear"][0][4:-4]) == pytest.approx(heave + 1.6**2 * pitch, rel=0.02)
    posts.write_psd(run, tmp_path / "a_psd.atl")
    lines = (tmp_path / "a_psd.atl").read_text().splitlines()
    assert lines[0].split(",")[0] == "frequency" and len(lines) == 2 + 513
    last = dict(zip(lines[0].split(","), lines[-1].split(","), strict=True))
    assert float(last["frequency"]) == pytest.approx(250.0)
    assert float(last["pitch"]) == found["pitch"][0][-1]


def test_power_spectra_may_look_less_often() -> None:
    frequency, _ = posts.psd(synthetic(psd_segment=256.0, psd_overlap=0.0, psd_fft=256.0, psd_sampling=100.0))
    assert frequency[-1] == pytest.approx(50.0)
    assert len(frequency) == 129


def test_statistics_are_those_of_the_signals() -> None:
    run = synthetic()
    found = run.figures
    for k, (wheel, words) in enumerate(WORDS.items(), 1):
        assert found[f"hub_acceleration_rms_{words}"] == (pytest.approx(k, rel=0.01), "m/s2")
        assert found[f"load_variation_{wheel}"][0] == pytest.approx(2.5 * k, rel=0.01)
    assert found["hub_acceleration_rms"][0] == found["hub_acceleration_rms_rear_right"][0]
    assert found["body_heave_rms"] == (pytest.approx(10.0, rel=0.01), "mm")
    assert found["body_pitch_rms"] == (pytest.approx(math.degrees(0.005), rel=0.01), "deg")


def test_the_transfer_function_of_a_linear_model_is_coherent() -> None:
    """A quarter of a car in closed form, answering a sweep: gain, coherence 1, natural frequency and damping."""
    from scipy import signal

    from jounce.events.post_signals import sweep

    f0, zeta = 1.37, 0.31
    w = 2 * math.pi * f0
    t = 0.002 * np.arange(20_001)
    z = sweep(t, 0.5, 25.0, 40.0, 0.1, compensated=True)
    body = signal.lsim(([2 * zeta * w, w * w], [1, 2 * zeta * w, w * w]), z - z[0], t)[1] + z[0]
    channels = {f"Tire.User_Input_Contact_Patch_Global_Z_Perturbation.{wheel}": z for wheel in WORDS}
    channels["Vehicle.CM_Global_Z"] = 0.5 + body
    for wheel, (x, y) in {"L1": (0, 0.7), "R1": (0, -0.7), "L2": (-2.5, 0.7), "R2": (-2.5, -0.7)}.items():
        channels |= {f"Wheel.Global_X.{wheel}": x + 0 * t, f"Wheel.Global_Y.{wheel}": y + 0 * t}
    parameters = {"excitation": ["sweep", ""], "mode": ["heave", ""], "first_frequency": [0.5, "Hz"]}
    metadata = {"event": {"kind": "seven-post", "parameters": parameters | {"last_frequency": [25.0, "Hz"]}}}
    run = Run(t, channels, units=dict.fromkeys(channels, "m"), metadata=metadata)
    found = posts.transfer(run, "heave")
    assert found is not None
    part = found.between(0.7, 12.0)
    s = 2j * math.pi * part.frequency
    meant = np.abs((2 * zeta * w * s + w * w) / (s * s + 2 * zeta * w * s + w * w))
    assert np.min(part.coherence) > 0.97
    assert part.gain == pytest.approx(meant, rel=0.05)
    assert run.figures["heave_frequency"][0] == pytest.approx(f0, rel=0.01)
    assert run.figures["heave_damping"][0] == pytest.approx(zeta, rel=0.05)


# --- against the exact linearisation ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_small_noise_on_four_pads_answers_as_the_linear_model(tmp_path: Path) -> None:
    """Spectra of body and loads by |H|² of the linearisation, without dry friction; four pads that are unlike."""
    rng = np.random.default_rng(8)
    step, n = 0.004, 15_000
    t = step * np.arange(n)
    sizes = {"L1": 1.0, "R1": 0.6, "L2": 1.4, "R2": 0.8}
    data = {}
    for wheel, size in sizes.items():
        spectrum = np.fft.rfft(rng.normal(size=n))
        f = np.fft.rfftfreq(n, step)
        spectrum *= (f > 0.4) * (f < 25.0) / np.maximum(f, 0.4)  # like a road, and so small that the car is linear
        data[wheel] = 2e-4 * size * np.fft.irfft(spectrum, n) * posts_window(t)
    event = SevenPost(excitation="file", file=str(tmp_path / "noise.spc"))
    write_spc(Spc(time=t, columns=data), tmp_path / "noise.spc")
    run = jounce.run(compact(), event)
    start = make_ready(compact(), event, Options.of())
    event.prepared(start)
    linear = linear_model(start)
    how = vibration.Sections(4096)
    f, _ = vibration.power(run.time, run.time, how)
    rows = (f > 0.7) & (f < 15.0)
    pairs = {w: [linear.inputs.index(f"road.{w}"), linear.inputs.index(f"road.{w}.rate")] for w in WORDS}
    whole = linear.response(f[rows])
    below = {w: vibration.power(run.time, run[f"Global_pad_disp.{WORDS[w]}"], how)[1][rows] for w in WORDS}
    for name in ("Vehicle.CM_Global_Z", "Tire.Ground_Surface_Force_Z.L1", "Tire.Ground_Surface_Force_Z.R2"):
        k = linear.outputs.index(name)
        meant = sum(
            np.abs(whole[:, k, i] + 2j * math.pi * f[rows] * whole[:, k, j]) ** 2 * below[w]
            for w, (i, j) in pairs.items()
        )
        above = vibration.power(run.time, run[name], how)[1][rows]
        # 14 sections: cross terms of independent pads leave 1/sqrt(14) of 27 % at a line, a quarter of it in the whole
        ratio = np.sqrt(
            np.add.reduceat(above, range(0, len(above), 20)) / np.add.reduceat(meant, range(0, len(meant), 20))
        )
        assert ratio == pytest.approx(np.ones(len(ratio)), abs=0.25), name
        assert np.sqrt(np.sum(above) / np.sum(meant)) == pytest.approx(1.0, abs=0.06), name


def posts_window(t: Array) -> Array:
    return np.clip(t / 0.5, 0, 1) ** 2


def answer(car: Any, frequency: float, output: str, **values: Any) -> complex:
    """Of a channel to the pads, over whole periods of a sine that is small enough for everything to be straight."""
    lasts = 6.0 + round(2 * frequency) / frequency
    event = SevenPost(excitation="sine", frequency=frequency, peak_velocity=1e-4, end_time=lasts, **values)
    run = jounce.run(car, event, channels=[output, "Global_pad_disp.front_left"])
    rows = run.time > 6.0 + 1e-6
    wave = np.exp(-2j * math.pi * frequency * run.time[rows])
    whole = [run[name][rows] - np.mean(run[name][rows]) for name in (output, "Global_pad_disp.front_left")]
    return complex(whole[0] @ wave / (whole[1] @ wave))


@pytest.mark.parametrize("frequency", [0.8, 1.6, 5.0, 12.0])
def test_a_car_with_four_equal_corners_is_a_quarter_car(frequency: float) -> None:
    """Closed form of two masses; the numbers are those of the files, front and rear made alike.

    With the centre of gravity in the middle and k, c, masses of the corners alike, heave does not feel pitch. The
    damper is a table: its slope at rest is Akima's, (650 · 2100 + 900 · 3600)/1550 N s/m. The sine is slower than
    1 mm/s in the dampers, and AB-2 at 1 ms leaves errors of (ω h)², 0.6 % at 12 Hz; the rest is 0.2 %.
    """
    ratios, slope, mass, unsprung = (0.95, 0.8), (650 * 2100 + 900 * 3600) / 1550, 1137.0 + 75.0, 36.0
    k, c = 26.6e3 * ratios[0] ** 2, slope * 0.95**2
    car = compact()
    car = car.with_(
        **plain(car),
        **{
            "body.cg.x": (-1.325 * mass + 75 * 1.35) / 1137.0,
            "rear_wheels.unsprung_mass": unsprung,
            "rear_suspension.spring.rate": k / ratios[1] ** 2,
            "rear_suspension.dampers[0].rate": c / 0.9**2,
        },
    )
    s = 2j * math.pi * frequency
    strut, tire = k + c * s, 202e3 + 250.0 * s  # VERTICAL_STIFFNESS and VERTICAL_DAMPING of the tire's file
    both = np.array([[mass / 4 * s * s + strut, -strut], [-strut, unsprung * s * s + strut + tire]])
    body, wheel = np.linalg.solve(both, [0.0, tire])
    for name, meant in (("Vehicle.CM_Global_Z", body), ("Spring.Jounce.L1", ratios[0] * (wheel - body))):
        assert abs(answer(balanced_car(car), frequency, name) - meant) < (0.002 + (1e-3 * abs(s)) ** 2) * abs(meant)


@pytest.mark.parametrize("unlock_wheels", [False, True])
def test_a_small_sine_follows_the_linear_model(unlock_wheels: bool) -> None:
    """Whole car, with wheels that the brakes hold or not: AB-2 and the dampers' kinks leave some 1e-4 at 1.5 Hz."""
    event = SevenPost(excitation="sine", unlock_wheels=unlock_wheels)
    start = make_ready(compact(), event, Options.of())
    event.prepared(start)
    begin = start.sim.snapshot()
    linear = linear_model(start)
    assert np.array_equal(start.sim.snapshot(), begin)  # left as it was
    assert len(linear.states) == len(linear.A) == len(linear.B)
    whole = linear.response(1.5)[0]
    for name in ("Vehicle.CM_Global_Z", "chassis_displacements.pitch", "Tire.Ground_Surface_Force_Z.L2"):
        k = linear.outputs.index(name)
        meant = sum(
            whole[k, linear.inputs.index(f"road.{w}")] + 3j * math.pi * whole[k, linear.inputs.index(f"road.{w}.rate")]
            for w in WORDS
        )
        found = answer(compact(), 1.5, name, unlock_wheels=unlock_wheels)
        assert abs(found - meant) < 1e-3 * abs(meant), name


@pytest.mark.slow
def test_the_natural_frequency_of_heave_is_that_of_the_linear_model() -> None:
    event = SevenPost(excitation="sweep", end_time=40.0, peak_velocity=0.004, last_frequency=12.0)
    run = jounce.run(compact(), event)
    start = make_ready(compact(), event, Options.of())
    event.prepared(start)
    linear = linear_model(start)
    f = np.linspace(0.6, 8.0, 400)
    k = linear.outputs.index("Vehicle.CM_Global_Z")
    whole = linear.response(f)
    inputs = [(linear.inputs.index(f"road.{w}"), linear.inputs.index(f"road.{w}.rate")) for w in WORDS]
    meant = sum(whole[:, k, i] + 2j * math.pi * f * whole[:, k, j] for i, j in inputs)
    found = posts.transfer(run, "heave")
    assert found is not None
    part = found.between(0.8, 6.0)
    # the spectra of a sweep ripple about its response, by less than a tenth
    ratio = part.gain / np.interp(part.frequency, f, np.abs(meant))
    assert ratio == pytest.approx(np.ones(len(ratio)), abs=0.12)
    # dampers are not quite straight
    assert np.median(ratio) == pytest.approx(1.0, abs=0.02)
    assert np.min(part.coherence) > 0.95
    poles = linear.eigenvalues()
    slow = sorted(abs(p) / (2 * math.pi) for p in poles if p.imag > 0 and 0.8 < abs(p) / (2 * math.pi) < 2.5)
    # heave and pitch of the body are coupled: the fit lies between the modes that heave takes part in
    assert 0.97 * slow[0] < run.figures["heave_frequency"][0] < 1.03 * slow[-1]


# --- tracking of a road ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def road() -> Run:
    return jounce.run(jounce.load("sedan"), Ride(end_time=14.0, seat_x=-1.9, seat_y=0.4, seat_z=0.7))


def compared(road: Run, run: Run, name: str, other: str = "") -> tuple[Array, Array]:
    """A channel of both runs at the same instants of the road, without the second in which posts are led in and out."""
    rows = (run.time > 1.5) & (run.time < run.time[-1] - 1.5)
    return np.interp(run.time[rows] + 2.0, road.time, road[other or name]), run[name][rows]


@pytest.mark.slow
def test_hub_accelerations_of_a_road_come_back(road: Run, tmp_path: Path) -> None:
    run = replayed(tmp_path, spc_of_run(road))
    assert run.time[-1] == pytest.approx(road.time[-1] - 4.0)  # 4 s shorter
    assert run.figures["tracking_error"][0] < 5.0
    from jounce.events.post_signals import band

    for wheel, words in WORDS.items():
        wanted, found = compared(road, run, f"Wheel.Global_Vz.{wheel}")
        a, b = (band(np.gradient(v, 0.002)[:, None], 0.002, 0.5, 20.0)[500:-500, 0] for v in (wanted, found))
        assert np.sqrt(np.mean((a - b) ** 2)) < 0.05 * np.sqrt(np.mean(a * a)), words
        loads = compared(road, run, f"Tire.Ground_Surface_Force_Z.{wheel}")
        heard = [low_pass(0.002 * np.arange(len(load)), load, 60.0) for load in loads]  # what the posts track
        assert np.corrcoef(*heard)[0, 1] > 0.95, wheel
    assert run.metadata["seven_post"]["errors"][0] > run.metadata["seven_post"]["errors"][-1]


@pytest.mark.slow
def test_spring_lengths_of_a_road_come_back(road: Run, tmp_path: Path) -> None:
    run = replayed(tmp_path, spc_of_run(road, "TRACK_SPRING"))
    for wheel in WORDS:
        wanted, found = compared(road, run, f"Spring.Jounce.{wheel}")
        assert np.std(wanted) > 2e-3
        assert np.std(wanted - found) < 0.5e-3, wheel


# --- actuators at the hubs -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_hubs_follow_their_actuators(heave: Run) -> None:
    run = rig(excitation="sine", mode="roll", actuators="hub", frequency=1.0, peak_velocity=0.1, end_time=4.0)
    assert run.complete
    for wheel, words in WORDS.items():
        wanted = run[f"sevenpost.{CODES[wheel]}_target"]
        hub = run[f"Global_upright_disp.{words}"]
        assert hub[500:] == pytest.approx((wanted - wanted[0])[500:], abs=0.5e-3)  # 600 N over 2 kN/mm
        sign = 1 if wheel.startswith("L") else -1
        assert abs(float(hub[np.argmax(np.abs(hub))]) - sign * 0.0319) < 0.0005
    balanced(run)


@pytest.mark.slow
def test_loads_at_the_hubs_of_a_fixed_body_give_the_compliance_back(tmp_path: Path) -> None:
    """Against the suspension rig, which finds equilibria instead of running in time; reaction equals input."""
    t = np.array([0.0, 0.8, 4.0, 6.0])
    ramp = np.array([0.0, 0.0, 1.0, 1.0])
    loads = {
        "L1_FX_BRK": -1500.0, "R1_FX_DRV": 900.0, "R1_MX": 50.0, "L2_FY": 1200.0, "L2_MY": -60.0, "R2_MZ": 80.0,
        "R2_FY": -500.0,
    }  # fmt: skip
    data = {name: value * ramp for name, value in loads.items()}
    run = replayed(tmp_path, Spc(time=t, columns=data), actuators="hub", body_fix="design")
    assert run.complete
    first, last = 375, -1
    held = SuspensionRig(jounce.load("sedan"))
    free = held.hold(Point(travels=dict.fromkeys(WORDS, 0.0), axes="wheel"))
    acting = {
        "L1": Load(fx_brake=-1500), "R1": Load(fx_drive=900, mx=50), "L2": Load(fy=1200, my=-60),
        "R2": Load(mz=80, fy=-500),
    }  # fmt: skip
    loaded = held.hold(Point(travels=dict.fromkeys(WORDS, 0.0), loads=acting, axes="wheel"))
    for wheel in WORDS:
        for kind in ("toe", "camber", "caster"):
            name = f"wheel_angles.{kind}_{wheel}"
            meant = loaded.channels[name] - free.channels[name]
            # the held body turns by some 3e-5 rad under these moments, and steering friction holds as much again
            assert run[name][last] - run[name][first] == pytest.approx(meant, abs=6e-5, rel=0.01), name
    force = [run[f"Seven_Post.Holding_Force_{axis}"][last] for axis in "XY"]
    # along and across the wheels, which are turned by some 0.005 rad of toe and compliance
    assert force == pytest.approx([-(-1500 + 900), -(1200 - 500)], abs=0.01 * 1500)
    told = {("long", "L1"): -1500.0, ("long", "R1"): 900.0, ("lat", "L2"): 1200.0, ("lat", "R2"): -500.0}
    for (way, wheel), load in {**told, ("align", "R2"): 80.0, ("long", "L2"): 0.0, ("align", "L1"): 0.0}.items():
        assert run[f"testrig.wheel_load_{way}.{WORDS[wheel]}"][last] == pytest.approx(load, abs=1e-9), (way, wheel)
    for axis in "XYZ":
        moved = run[f"Seven_Post.Held_{axis}"]
        assert abs(moved[last] - moved[0]) < 1e-3
    for name in ("yaw", "pitch", "roll"):
        assert abs(run[f"chassis_displacements.{name}"][last]) < math.radians(0.1)


@pytest.mark.slow
def test_a_vertical_force_acts_where_the_control_is_stopped(tmp_path: Path) -> None:
    write_spc(Spc(time=np.array([0.0, 4.0]), columns={"L1": np.zeros(2)}), tmp_path / "still.spc")
    event = SevenPost(excitation="file", file=str(tmp_path / "still.spc"), actuators="hub", body_fix="setup")
    car = jounce.load("sedan")
    before = jounce.run(car, event.changed(end_time=0.5))
    load = float(before["testrig.jack_vertical_force.front_left"][0])
    inputs: dict[str, Any] = {"Testrig_Loadcase.Tire_Force_z.L1": load + 600.0, "Testrig_Loadcase.Tire_Force_z.R1": 9e3}
    inputs["Testrig_Loadcase.Deactivate_Vertical_Displacement_Control.L1"] = 0.0
    run = jounce.run(car, event, inputs=inputs)
    assert run["testrig.jack_vertical_force.front_left"][-1] == pytest.approx(load + 600.0)
    moved = {words: float(run[f"testrig.wheel_travel.{words}"][-1]) for words in WORDS.values()}
    assert 0.01 < moved["front_left"] < 0.06  # 600 N over some 20 to 30 N/mm
    assert all(abs(moved[words]) < 5e-4 for words in ("front_right", "rear_left", "rear_right"))  # R1: the flag is 1
    down = SuspensionRig(car, start={w: float(run[f"testrig.wheel_travel_wrt_design.{WORDS[w]}"][-1]) for w in WORDS})
    assert down.hold(down.start()).jack["L1"] == pytest.approx(load + 600.0, rel=0.02)


# --- the air ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_downforces_are_those_of_the_model_of_the_air() -> None:
    run = rig(
        "formula", excitation="sine", peak_velocity=1e-4, aerodynamics="model", aero_speed="180 km/h", end_time=3.0
    )
    half = rig(
        "formula", excitation="sine", peak_velocity=1e-4, aerodynamics="model", aero_speed="90 km/h", end_time=3.0
    )
    total = sum(run[f"sevenpost.{name}_aero"][-1] for name in ("F", "RL", "RR"))
    assert run["sevenpost.RL_aero"][-1] == run["sevenpost.RR_aero"][-1]
    assert total == pytest.approx(4 * sum(half[f"sevenpost.{name}_aero"][-1] for name in ("F", "RL", "RR")), rel=1e-6)
    car = jounce.load("formula")
    # against the car in a wind of that speed, standing at the same heights: its own forces in the first row
    event = jounce.events.Drop(height=0.0, end_time=0.05)
    blown = jounce.run(car, event, inputs={"Aerodynamic.wind_x": -50.0})
    own = [blown[f"aero_forces.{word}_downforce"][0] for word in ("front", "rear")]
    assert total == pytest.approx(sum(own), rel=1e-3)
    # the maps act at the axles, as the actuators do
    assert run["sevenpost.F_aero"][-1] == pytest.approx(own[0], rel=1e-3) and own[0] > 0


# --- the story: a chicane on the rig ------------------------------------------------------------


@pytest.mark.slow
def test_a_chicane_is_replayed_with_its_load_transfer(tmp_path: Path) -> None:
    """Without compensation no load goes from side to side; with it every wheel has the load it had on the road."""
    event = jounce.events.SineSteer(speed=25.0, amplitude="25 deg", frequency=0.35, end_time=14.0)
    drive = jounce.run(jounce.load("sedan"), event, interval=0.002)
    write_spc(spc_of_run(drive), tmp_path / "chicane.spc")
    values: dict[str, Any] = {"excitation": "file", "file": str(tmp_path / "chicane.spc")}
    off = rig(**values, accel_compensation="off", roll_compensation="off", pitch_compensation="off")
    on = rig(**values)
    moved = {}
    for wheel in WORDS:
        name = f"Tire.Ground_Surface_Force_Z.{wheel}"
        wanted, found = compared(drive, on, name)
        assert np.corrcoef(wanted, found)[0, 1] >= 0.98, wheel
        moved[wheel] = np.std(wanted)
        assert np.std(compared(drive, off, name)[1]) < 0.25 * moved[wheel], wheel
    assert min(moved.values()) > 200.0
