"""Plans: what they say, how they run, go on after a kill, and what changed since another run of them."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
import plan_events
from jounce.cli.main import main
from jounce.core.errors import FormatError, ParameterError
from jounce.study.difference import difference
from jounce.study.packing import pack, unpacked
from jounce.study.plan import Plan
from jounce.study.running import run_plan
from jounce.study.summary import read_summary
from jounce.study.worker import perform

TEXT = """\
# speeds of throws
plan: throws
keep: runs
vehicles:
  - sedan          # as it comes
  - {name: light, vehicle: compact, body.mass: 1111 kg}
events:
  - {name: flat, event: throw, angle: 10 deg}
  - {event: throw, speed: 72 km/h, vehicles: [light]}
variations:
  - {name: as it is}
  - {name: quick, event.speed: 17 m/s}
  - grid: {body.mass: [1400 kg, 1.6 t], event.angle: [20 deg, 0.6]}
tolerances:
  "*": 0.1 %
  distance: 5 mm
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "throws.yaml"
    path.write_text(TEXT)
    return path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(word) for word in arguments])
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def content(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file() and f.name != ".lock"}


# --- what a plan says -------------------------------------------------------------------------------------------------


def test_runs_stand_in_the_order_of_events_vehicles_variations(file: Path) -> None:
    items = Plan.read(file).items
    assert [(i.event, i.vehicle) for i in items[::6]] == [("flat", "sedan"), ("flat", "light"), ("throw", "light")]
    assert [i.variation for i in items[:6]] == [
        *("as it is", "quick", "body.mass=1400 kg, event.angle=20 deg", "body.mass=1400 kg, event.angle=0.6"),
        *("body.mass=1.6 t, event.angle=20 deg", "body.mass=1.6 t, event.angle=0.6"),
    ]
    assert len(items) == 18 and len({i.name.casefold() for i in items}) == 18 and len({i.key for i in items}) == 18
    assert [i.case.event.angle for i in items[:4]] == pytest.approx(
        [math.radians(10), math.radians(10), math.radians(20), 0.6]
    )
    assert items[12].case.event.speed == 20.0 and items[13].case.event.speed == 17.0
    assert items[6].case.changes == {"body.mass": "1111 kg"}
    assert items[10].case.changes == {"body.mass": "1.6 t"}, "a variation has the last word"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("keep: runs", "kep: runs", "line 3: 'kep' is unknown; did you mean 'keep'?"),
        ("keep: runs", "keep: all", "line 3: keep: found 'all'; expected one of figures, runs, reports"),
        ("keep: runs", "step: 3 kg", "line 3: "),
        ("- sedan ", "- sedam ", "line 5: no vehicle 'sedam'"),
        ("compact, body.mass", "compact, body.mas", "line 6: vehicle 'light': "),
        ("angle: 10 deg", "angle: 10 kg", "line 8: throw: angle"),
        ("angle: 10 deg", "angel: 10 deg", "line 8: throw: "),
        ("event: throw, speed", "event: trow, speed", "line 9: event 'trow' is unknown"),
        ("[light]", "[lite]", "line 9: vehicles: 'lite' is not in the plan; did you mean 'light'?"),
        ("{name: flat, event", "{event", "line 9: events: 'throw' stands there twice"),
        ("{name: quick,", "{name: as it is,", "line 12: variations: 'as it is' stands there twice"),
        ("event.speed: 17 m/s", "event.sped: 17 m/s", "line 12: event 'flat': throw: "),
        ("1.6 t]", "-3 kg]", "line 13: vehicle 'sedan': "),
        ("[20 deg, 0.6]", "20 deg", "line 13: grid: expected a list of values for every path"),
        ('"*": 0.1 %', '"*": -1 %', "tolerances: *: found -0.01; a tolerance is 0 or more"),
        ("distance: 5 mm", "distance: wide", "tolerances: distance: found 'wide'"),
        ("grid: {", "table: none.csv #", "none.csv"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(file: Path, before: str, after: str, message: str) -> None:
    assert before in TEXT
    file.write_text(TEXT.replace(before, after, 1))
    with pytest.raises(FormatError, match=re.escape(message)):
        Plan.read(file)


def test_a_table_gives_variations(tmp_path: Path, file: Path) -> None:
    (tmp_path / "cars.csv").write_text("name,body.mass,event.speed\na,1400 kg,\nb,,50 km/h\n")
    file.write_text(TEXT.replace("grid: {", "table: cars.csv #"))
    items = Plan.read(file).items[2:4]
    assert [i.variation for i in items] == ["a", "b"]
    assert items[0].case.changes == {"body.mass": "1400 kg"} and items[1].case.event.speed == pytest.approx(50 / 3.6)


# --- actions ----------------------------------------------------------------------------------------------------------


def test_copies_and_another_vehicle_are_named_as_expected() -> None:
    plan = Plan.new("x", [{"name": "sedan_quick", "event": "throw", "vehicle": "sedan"}, "throw"], ["sedan"])
    assert plan.copied().entries == ["sedan_quick", "throw", "sedan_quick_copy", "throw_copy"]
    other = plan.with_vehicle("suv")
    assert other.entries == ["suv_quick", "suv_throw"], "the suffix stays; any other name is vehicle and event"
    assert [item.vehicle for item in other.items] == ["suv", "suv"]
    assert plan.entries == ["sedan_quick", "throw"], "the plan itself stays"
    assert plan.without("throw").entries == ["sedan_quick"]
    with pytest.raises(ParameterError, match="did you mean 'throw'"):
        plan.without("trow")


def test_a_plan_is_read_edited_saved_and_run(file: Path, tmp_path: Path) -> None:
    plan = Plan.read(file).renamed("second").added({"name": "steep", "event": "throw", "angle": "60 deg"})
    saved = plan.save(tmp_path)
    assert saved.name == "second.yaml" and "# as it comes" in saved.read_text(), "comments stay"
    again = Plan.read(saved)
    assert again.name == "second" and again.entries == ["flat", "throw", "steep"]
    assert [item.key for item in again.items] == [item.key for item in plan.items]
    done = run_plan(again.selected(["steep"]), tmp_path / "out", workers=1)
    assert done.ok and [item.event for item in done.items] == ["steep"] * 12
    assert file.read_text() == TEXT


# --- runs -------------------------------------------------------------------------------------------------------------


def test_figures_are_those_of_single_runs_and_two_runs_are_the_same_bytes(file: Path, tmp_path: Path) -> None:
    plan = Plan.read(file)
    told: list[tuple[int, int]] = []
    order: list[str] = []
    serial = run_plan(plan, tmp_path / "a", workers=1, told=lambda item, _: order.append(item.name))
    parallel = run_plan(plan, tmp_path / "b", workers=2, progress=lambda *n: told.append(n))
    assert serial.ok and parallel.ok and serial.fresh == 18
    assert order == [item.name for item in plan.items], "top to bottom"
    assert told == [(k, 18) for k in range(19)]
    assert content(tmp_path / "a") == content(tmp_path / "b"), "as many processes as you like, the same bytes"
    assert serial.outputs == [tmp_path / "a" / "runs" / item.name for item in plan.items]
    rows = read_summary(tmp_path / "a")["runs"]
    for row, item in zip(rows, plan.items, strict=True):
        vehicle, event = item.case.parts()
        single = jn.run(vehicle, event)
        assert {name: tuple(pair) for name, pair in row["figures"].items()} == dict(single.kpis)
        expected = event.speed**2 * math.sin(2 * event.angle) / plan_events.GRAVITY
        assert row["figures"]["distance"][0] == expected, "closed form"
        stored = jn.Run.read(tmp_path / "a" / "runs" / row["run"])
        assert stored["chassis_displacements.longitudinal"][-1] == event.speed
    table = list(csv.DictReader((tmp_path / "a" / "summary.csv").read_text().splitlines()))
    assert [float(line["distance [m]"]) for line in table] == [row["figures"]["distance"][0] for row in rows]
    assert table[4]["body.mass"] == "1.6 t" and table[0]["body.mass"] == ""


def test_a_hundred_variants_on_two_processes_are_those_of_one(tmp_path: Path) -> None:
    grid = {"event.speed": [3.0 + 1.7 * k for k in range(25)], "event.angle": [f"{a} deg" for a in (11, 23, 41, 67)]}
    plan = Plan.new("doe", ["throw"], ["sedan"], [{"grid": grid}])
    one, two = (run_plan(plan, tmp_path / str(n), workers=n) for n in (1, 2))
    assert one.ok and len(one.records) == 100 and one.records == two.records
    assert content(tmp_path / "1") == content(tmp_path / "2")
    distances = [record["figures"]["distance"][0] for record in one.records if record]
    best = max(range(100), key=distances.__getitem__)
    assert (one.items[best].case.event.speed, one.items[best].variation[-6:]) == (3.0 + 1.7 * 24, "41 deg")


def test_the_parent_of_ten_thousand_runs_stays_small(tmp_path: Path) -> None:
    """What a run leaves in memory, counted over 400 of them, times 10 000, is far below 300 MB.

    A record has the figures, texts and ranges of a step steer, which has 21 figures; each run is other numbers.
    """

    def answers(questions: Any) -> Any:
        record, files = perform(*questions[0])
        figures = {f"figure_{k}": (0.1 * k, "deg/s") for k in range(21)}
        for k in range(len(questions)):
            own = {name: (value + 1e-3 * k, unit) for name, (value, unit) in figures.items()}
            yield k, ({**json.loads(json.dumps(record)), "figures": own}, files)

    def peak(count: int) -> int:
        grid = {"event.speed": [10.0 + 0.01 * k for k in range(count)]}
        plan = Plan.new("many", ["throw"], ["sedan"], [{"grid": grid}])
        tracemalloc.start()
        try:
            outcome = run_plan(plan, tmp_path / str(count), executor=answers)
            assert outcome.fresh == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)  # what is imported now is no part of it
    per_run = (peak(400) - peak(100)) / 300
    print(f"{per_run:.0f} bytes a run")
    assert 500 < per_run < 18_000  # 180 MB of 10 000 runs, beside some 110 MB of a process that has run one


KILLED = """
import os, signal
import plan_events
from jounce.study.plan import Plan
from jounce.study.running import run_plan
count = 0
def told(item, record):
    global count
    count += 1
    if count == 5:
        os.kill(os.getpid(), signal.SIGKILL)
run_plan(Plan.read({plan!r}), {out!r}, workers=2, told=told)
"""


def test_a_killed_plan_goes_on_nothing_lost_nothing_run_twice(file: Path, tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    speeds = [3.0 + 1.1 * k for k in range(18)]
    file.write_text(
        f"plan: long\nkeep: runs\nvehicles: [sedan]\nevents: [{{event: throw, log: {log}}}]\n"
        f"variations: [{{grid: {{event.speed: {speeds}}}}}]\n"
    )
    script = textwrap.dedent(KILLED.format(plan=str(file), out=str(out)))
    path = {"PYTHONPATH": ":".join(p for p in sys.path if p)}
    ended = subprocess.run([sys.executable, "-c", script], env={**os.environ, **path})
    assert ended.returncode == -signal.SIGKILL
    done = {p.name for p in (out / "runs").iterdir() if not p.name.startswith(".")}
    assert len(done) == 5 and not (out / "summary.json").exists()
    before = {name: (out / "runs" / name / "record.json").stat().st_ino for name in done}
    (out / "runs" / ".half.new").mkdir()  # as a kill while a folder is written leaves it
    finished = run_plan(Plan.read(file), out, workers=2)
    assert finished.ok and finished.fresh == 13
    assert all((out / "runs" / name / "record.json").stat().st_ino == inode for name, inode in before.items())
    assert not (out / "runs" / ".half.new").exists()
    times = Counter(float(line.split()[0]) for line in log.read_text().splitlines())
    plan = Plan.read(file)
    for item in plan.items:
        speed = item.case.event.speed
        assert times[speed] == 1 if item.name in done else 1 <= times[speed] <= 2, "only what was not done is run again"
    whole = run_plan(plan, tmp_path / "whole", workers=1)
    assert whole.fresh == 18 and content(out) == content(tmp_path / "whole")
    assert run_plan(plan, out).fresh == 0


def test_what_was_read_and_has_changed_is_run_again(tmp_path: Path) -> None:
    car = jn.load("compact").publish(tmp_path / "car")
    file = tmp_path / "p.yaml"
    file.write_text("vehicles: [sedan, car]\nevents: [throw]\n")
    first = run_plan(Plan.read(file), tmp_path / "out", workers=1)
    body = next(path for path in car.parent.rglob("*.yaml") if re.search(r"^\s*mass: ", path.read_text(), re.M))
    body.write_text(re.sub(r"^(\s*mass:) .*$", r"\1 1234.0", body.read_text(), count=1, flags=re.M))
    again = run_plan(Plan.read(file), tmp_path / "out", workers=1)
    assert again.fresh == 1
    energy = [record["figures"]["energy"][0] for record in again.records if record]
    assert energy[1] == pytest.approx(1234.0 * (100 / 3.6) ** 2 / 2e3, rel=1e-12)
    assert first.records[0] == again.records[0] and first.records[1] != again.records[1]


def test_failures_are_told_and_stay_where_they_are(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(
        "vehicles: [sedan]\nevents: [throw]\nvariations:\n- {name: good}\n- {name: fast, event.speed: 61}\n"
        "- {name: dead, event.friction: 2.2}\n- {name: last, event.speed: 12}\n"
    )
    code, out, err = call(capsys, "plan", "run", file, "--out", tmp_path / "out", "--jobs", 1)
    assert code == 2, err
    assert "4 runs, 2 complete, 4 run now" in out
    assert "throw · sedan · fast: spun" in out and "dead: the process that ran it ended: exit code 7" in out
    code, out, _ = call(capsys, "plan", "run", file, "--out", tmp_path / "out", "--jobs", 1, "--json")
    data = json.loads(out)
    assert code == 2 and not data["ok"] and data["fresh"] == 1, "only the lost run is tried again"
    assert [entry["run"] for entry in data["failed"]] == ["throw__sedan__fast", "throw__sedan__dead"]
    assert len(data["outputs"]) == 4 and all(Path(path, "record.json").is_file() for path in data["outputs"])
    code, out, _ = call(
        capsys, "plan", "run", file, "--out", tmp_path / "one", "--jobs", 1, "--select", "throw__sedan__last"
    )
    assert code == 0 and "1 runs, 1 complete" in out
    code, _, err = call(capsys, "plan", "run", file, "--out", tmp_path / "one", "--select", "trow")
    assert code == 1 and "did you mean 'throw'" in err


def test_other_things_in_a_folder_are_kept(file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FormatError, match="holds other things"):
        run_plan(Plan.read(file), tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_two_processes_do_not_run_a_plan_in_one_folder(file: Path, tmp_path: Path) -> None:
    def again(_item: object, _record: object) -> None:
        with pytest.raises(FormatError, match="another process runs a plan there"):
            run_plan(Plan.read(file), tmp_path / "out")

    assert run_plan(Plan.read(file).selected(["throw"]), tmp_path / "out", workers=1, told=again).ok


# --- differences ------------------------------------------------------------------------------------------------------


def test_changes_beyond_their_tolerance_are_told(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, c = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    assert call(capsys, "plan", "run", file, "--out", a, "--jobs", 1)[0] == 0
    # a change by 0.05 % of the energy, within 0.1 %, and of a distance within 5 mm; then by ten times as much
    file.write_text(TEXT.replace("72 km/h", "71.982 km/h"))
    assert call(capsys, "plan", "run", file, "--out", b, "--jobs", 1)[0] == 0
    code, out, _ = call(capsys, "plan", "diff", a, b)
    small = 19.995**2 / 20.0**2 - 1
    assert abs(small) < 1e-3, "within the tolerance of the energy"
    found = difference(a, b)
    expected = {
        row["variation"]: row["figures"]["distance"][0] * small
        for row in read_summary(a)["runs"]
        if row["event"] == "throw" and row["variation"] != "quick"
    }
    assert max(expected.values()) < -5e-3 and code == 1
    assert {one.variation for one in found.changes} == set(expected) and {o.figure for o in found.changes} == {
        "distance"
    }
    for one in found.changes:
        assert one.after - one.before == pytest.approx(expected[one.variation], rel=1e-9)
        assert one.vehicle == "light" and one.unit == "m" and one.allowed == 5e-3
    assert found.runs == 18 and found.figures == 54 and "54 figures of 18 runs compared, 5 changed" in out
    file.write_text(TEXT.replace("72 km/h", "71.982 km/h").replace("5 mm", "{absolute: 1 cm, relative: 5 %}"))
    assert call(capsys, "plan", "run", file, "--out", c, "--jobs", 1)[0] == 0
    code, out, _ = call(capsys, "plan", "diff", a, c)
    assert code == 0 and "0 changed" in out and "other tolerances" in out


def test_without_a_tolerance_a_figure_may_not_move_and_all_else_is_told(tmp_path: Path) -> None:
    run = {"event": "e", "vehicle": "v", "variation": "", "run": "r", "status": "complete", "verdict": "pass"}
    first = {**run, "figures": {"x": [1.0, "m"], "y": [None, "s"], "z": [2.0, "m"], "u": [5.0, "m"], "w": [7.0, "s"]}}
    other = {**run, "verdict": "fail", "status": "complete"}
    other["figures"] = {"x": [math.nextafter(1.0, 2.0), "m"], "y": [3.0, "s"], "z": [2000.0, "mm"], "w": [7.0, "kg"]}
    gone = {**run, "vehicle": "gone", "figures": {}}
    new = {**run, "vehicle": "new", "figures": {}}
    made = [{"jounce": "1", "compiler": "a"}], [{"jounce": "1", "compiler": "b"}]
    found = difference({"runs": [first, gone], "made": made[0]}, {"runs": [other, new], "made": made[1]})
    told = {(one.vehicle, one.figure): (one.before, one.after) for one in found.changes}
    assert told == {
        ("v", "verdict"): ("pass", "fail"),
        ("v", "x"): (1.0, math.nextafter(1.0, 2.0)),
        ("v", "y"): (None, 3.0),
        ("v", "u"): ("there", "not there"),
        ("v", "w"): ("in s", "in kg"),
        ("gone", "run"): ("there", "not there"),
        ("new", "run"): ("not there", "there"),
    }
    assert "compiler: a | b" in found.remarks[0]
    assert "1.0000000000000002 m" in str(found), "as many digits as tell one from the other"


# --- pages, portable plans, clusters ----------------------------------------------------------------------------------


def test_the_page_holds_all_runs_and_needs_nothing_else(file: Path, tmp_path: Path) -> None:
    file.write_text(TEXT.replace("name: quick", "name: </script><b>quick"))
    run_plan(Plan.read(file), tmp_path / "out", workers=1)
    page = (tmp_path / "out" / "index.html").read_text()
    assert "</script><b>" not in page and "http" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert [(one["name"], len(one["runs"])) for one in data] == [("flat", 12), ("throw", 6)]
    assert data[0]["figures"][0] == ["distance", "Distance of the throw", "m"]
    for run in data[0]["runs"]:
        assert (tmp_path / "out" / run[5]).is_file(), "links lead somewhere"
    assert page.count("<tr") == 0, "rows are drawn when they are seen"


def test_a_packed_plan_runs_elsewhere_to_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = tmp_path / "here"
    here.mkdir()
    jn.load("compact").with_(**{"body.mass": 1222.0}).publish(here / "mine")
    (here / "cars.csv").write_text("name,event.speed\nslow,11\nquick,33\n")
    (here / "p.yaml").write_text(
        "plan: moved  # kept\nvehicles: [mine, sedan]\nvariations: [{table: cars.csv}]\n"
        "events: [throw, {name: own, event: throw, vehicle: mine/vehicle.yaml, speed: 9}]\n"
    )
    first = run_plan(Plan.read(here / "p.yaml"), tmp_path / "a", workers=1)
    code, _, err = call(capsys, "plan", "pack", here / "p.yaml", "--out", tmp_path / "sent" / "p.zip")
    assert code == 0, err
    folder = pack(Plan.read(here / "p.yaml"), tmp_path / "sent" / "folder")
    here.rename(tmp_path / "gone")
    for place in (tmp_path / "sent" / "p.zip", folder):
        with unpacked(place) as plan:
            again = run_plan(plan, tmp_path / f"b{place.suffix}", workers=1)
        assert "# kept" in plan.text()
        pairs = [(r["event"], r["vehicle"], r["variation"], r["figures"]) for r in again.records if r]
        assert pairs == [(r["event"], r["vehicle"], r["variation"], r["figures"]) for r in first.records if r]
        assert len(pairs) == 6
    assert difference(tmp_path / "a", tmp_path / "b").ok


def test_dask_is_asked_for_only_then(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = call(capsys, "plan", "run", file, "--out", tmp_path / "out", "--dask", "tcp://127.0.0.1:1")
    assert code == 1 and "needs the package distributed, which is not installed" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of Dask
def test_a_cluster_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    from jounce.study.cluster import dask

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        done = run_plan(Plan.read(file), tmp_path / "a", executor=dask(cluster.scheduler_address))
    assert done.ok and done.fresh == 18
    run_plan(Plan.read(file), tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_an_unknown_action_and_a_missing_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = call(capsys, "plan", "rn", "x.yaml")
    assert code == 1 and "did you mean 'run'" in err
    code, _, err = call(capsys, "plan", "diff", tmp_path)
    assert code == 1 and "expected two folders" in err
    code, _, err = call(capsys, "plan", "show", tmp_path)
    assert code == 1 and "expected results of jounce plan run" in err
