"""Courses of cones in files: three formats of one course, the grid of its control points, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.files.courses import CourseFile, library_courses, read_course

YAML = """course: two
cones: [[30, 1.3, -1.3], [50, 4.1 m, 150 cm], [70, 2, -1]]
control_points: [[30, 0], [42, 0.5], [55, 2.8], [70, 0.5]]
lateral_range: 1.5
lateral_step: 0.5
speed_step: 3.6 km/h
begin_control_point: 2
end_control_point: 3
settling_distance: 40
abort_length: 60
abort_time: 20
"""
PROPERTY = """[UNITS]
LENGTH = 'mm'
TIME = 'second'
[GENERAL]
LATERAL_RANGE = 1500
LATERAL_STEP = 500
SPEED_STEP = 1000
BEGIN_CONTROL_POINT = 2
END_CONTROL_POINT = 3
SETTLING_DISTANCE = 40000
ABORT_LENGTH = 60000
ABORT_TIME = 20
[CONES]
{x y_left y_right}
30000 1300 -1300
50000 4100 1500
70000 2000 -1000
[CONTROL_POINTS]
{y x}
0 30000
500 42000
2800 55000
500 70000
"""


def written(folder: Path, name: str, text: str) -> CourseFile:
    (folder / name).write_text(text)
    return read_course(folder / name)


@pytest.mark.parametrize(("name", "text"), [("two.yaml", YAML), ("two.cpp", PROPERTY)])
def test_a_course_with_everything(tmp_path: Path, name: str, text: str) -> None:
    found = written(tmp_path, name, text)
    np.testing.assert_allclose(found.gates, [[30, 1.3, -1.3], [50, 4.1, 1.5], [70, 2, -1]], atol=1e-12)
    np.testing.assert_allclose(found.control.points, [[30, 0], [42, 0.5], [55, 2.8], [70, 0.5]], atol=1e-12)
    assert (found.control.reach, found.control.step) == pytest.approx((1.5, 0.5))
    assert (found.control.begin, found.control.end) == (2, 3)
    assert (found.speed_step, found.settling_distance, found.abort_length, found.abort_time) == pytest.approx(
        (1.0, 40.0, 60.0, 20.0)
    )


def test_defaults_are_those_of_the_format(tmp_path: Path) -> None:
    found = written(tmp_path, "c.csv", "x,y_left,y_right [cm]\n10,2,-100\n30,5,200\n")
    np.testing.assert_allclose(found.gates, [[10, 2, -1], [30, 5, 2]])
    np.testing.assert_allclose(found.control.points, [[10, 0.5], [30, 3.5]])
    control = found.control
    assert (control.reach, control.step, control.begin, control.last) == (2.0, 1.0, 1, 2)
    assert (found.speed_step, found.settling_distance, found.abort_time) == (0.5, 30.0, 100.0)
    assert np.isnan(found.abort_length)


@pytest.mark.parametrize(("reach", "step", "levels"), [(2.0, 1.0, 5), (2.0, 0.5, 9), (1.5, 0.5, 7), (0.6, 0.2, 7)])
def test_every_control_point_has_two_ranges_over_step_and_one_places(
    tmp_path: Path, reach: float, step: float, levels: int
) -> None:
    text = YAML.replace("lateral_range: 1.5", f"lateral_range: {reach}").replace("step: 0.5", f"step: {step}")
    control = written(tmp_path, "c.yaml", text).control
    assert control.levels == levels == round(2 * reach / step) + 1
    assert control.moved == 2
    halved = control.halved([0.5, -0.25])
    assert (halved.reach, halved.step) == pytest.approx((0.5 * reach, 0.5 * step))
    np.testing.assert_allclose(halved.points[:, 1], [0, 1.0, 2.55, 0.5])


def test_the_path_goes_through_the_control_points_after_the_run_up(tmp_path: Path) -> None:
    course = written(tmp_path, "two.yaml", YAML).course()
    np.testing.assert_allclose(course.gates[:, 0], [40, 60])  # of the third: abort_length is before it
    path = course.path
    np.testing.assert_allclose(np.interp([40, 52, 65, 80], path.x, path.y), [0, 0.5, 2.8, 0.5], atol=2e-3)
    assert np.abs(path.y[path.x < 39]).max() < 1e-3
    assert path.x[0] == pytest.approx(0.0, abs=1e-9) and path.x[-1] > 80 + 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[50, 4.1 m, 150 cm]", "[50, 4.1 kg, 1]"), "kg"),
        (("[50, 4.1 m, 150 cm]", "[50, 4.1]"), "row 2"),
        (("[50, 4.1 m, 150 cm]", "[20, 4.1, 1]"), "gates 1 and 2: x = 30, 20; must ascend"),
        (("[50, 4.1 m, 150 cm]", "[50, 1, 4]"), "gate 2: y_left = 1 must be above y_right = 4"),
        (("lateral_step: 0.5", "lateral_step: 4"), "range 1.5 m, step 4 m"),
        (("end_control_point: 3", "end_control_point: 9"), "numbers from 1 to 4"),
        (("settling_distance: 40", "settling_distance: -1"), "settling_distance"),
        (("settling_distance: 40", "settling_distance: 4e8"), "4e+08 m long; at most 5e+04 m"),
        (("lateral_step: 0.5", "lateral_step: 1e-320"), "step 9.99989e-321 m; at most 1000 steps"),
        (("abort_length: 60", "abort_length: 6"), "no gate before abort_length"),
        (("lateral_range", "lateral_rang"), "line 4  lateral_rang: is unknown; did you mean"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=r"two\.yaml") as found:
        written(tmp_path, "two.yaml", YAML.replace(*change))
    assert message in str(found.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="found x, y_left; expected x, y_left, y_right"):
        written(tmp_path, "c.csv", "x,y_left\n1,2\n")
    with pytest.raises(FormatError, match=r"line 3.*expected 3 numbers"):
        written(tmp_path, "d.csv", "x,y_left,y_right\n1,2,0\n2,a,0\n")
    with pytest.raises(FormatError, match=r"\[CONES\] is missing"):
        written(tmp_path, "e.cpp", "[GENERAL]\nLATERAL_RANGE = 1\n")
    with pytest.raises(ParameterError, match="no such file"):
        read_course(tmp_path / "no.yaml")


def test_courses_of_the_library_are_read() -> None:
    for name in library_courses():
        assert len(read_course(name).gates) > 1
