"""The test plan of the session: tests, each an event with its parameters, and its way to and from `jounce.study.Plan`.

{"id": "t1", "name": "step-steer", "kind": "step-steer", "values": {"speed": "80 km/h"}, "off": false}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.app.build.document import merged
from jounce.app.test import events
from jounce.core.errors import ParameterError
from jounce.events.registry import find as find_event
from jounce.study.plan import Plan, free_name

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench

DOCUMENT, NAMED = "doc:", "veh:"
PLACE = "plans"
Test = dict[str, Any]


# --- vehicles --------------------------------------------------------------------------------------------------------


def vehicles(bench: Workbench) -> dict[str, str]:
    """Vehicles to choose from, open ones first: key -> label."""
    found = {f"{DOCUMENT}{item.id}": item.label + (" (changed)" if item.dirty else "") for item in bench.documents}
    clean = {item.source for item in bench.documents if not item.dirty}  # those would stand there twice
    return found | {f"{NAMED}{name}": name for name in bench.folders.vehicles() if name not in clean}


def request(bench: Workbench, key: str) -> dict[str, Any]:
    """The vehicle of a key, as a run takes it: an open one with its changes as they are now."""
    if key.startswith(DOCUMENT):
        return dict(bench.documents.get(key.removeprefix(DOCUMENT)).request())
    name = key.removeprefix(NAMED)
    known = bench.folders.vehicles()
    if name not in known:
        raise ParameterError(f"vehicle {name!r}: not known any more; choose another")
    label = name.rpartition("/")[2].removesuffix(".yaml")
    return {"name": label, "source": str(known[name]), "steps": [], "changes": {}}


# --- tests -----------------------------------------------------------------------------------------------------------


def tests(bench: Workbench) -> list[Test]:
    """The tests of the session."""
    found: list[Test] = bench.session.data["plan"]
    return found


def add(bench: Workbench, kind: str, values: Mapping[str, str], name: str = "") -> Test:
    """One more test at the end."""
    known = tests(bench)
    number = 1 + max((int(str(t["id"])[1:]) for t in known if str(t["id"])[1:].isdigit()), default=0)
    test = {
        "id": f"t{number}",
        "name": free_name(name or kind, [t["name"] for t in known]),
        "kind": kind,
        "values": dict(values),
        "off": False,
    }
    known.append(test)
    bench.session.changed()
    return test


def find(bench: Workbench, id: str) -> Test:
    """A test by its id."""
    for test in tests(bench):
        if test["id"] == id:
            return test
    raise ParameterError(f"test {id!r}: not in the plan any more")


def copy(bench: Workbench, id: str) -> Test:
    """A copy at the end."""
    test = find(bench, id)
    return add(bench, test["kind"], test["values"], f"{test['name']}_copy")


def remove(bench: Workbench, id: str) -> None:
    """Take a test out of the plan."""
    tests(bench).remove(find(bench, id))
    bench.session.changed()


def row(test: Test) -> dict[str, Any]:
    """A test as the table of the plan shows it: with the parameters that say most."""
    _, errors, _ = events.check(test["kind"], test["values"])
    cells = []
    for field in events.first_fields(test["kind"]):
        text = str(test["values"].get(field["name"], ""))
        alone = text.removesuffix(field["unit"]).strip() if field["unit"] else text
        cells.append(
            {
                **{key: field[key] for key in ("name", "title", "unit", "default", "doc")},
                "choices": ["yes", "no"] if field["kind"] == "flag" else field.get("choices"),
                "value": alone,
                "set": field["name"] in test["values"],
                "error": errors.get(field["name"], ""),
            }
        )
    title = events.describe(test["kind"])["title"]
    more = len([name for name in test["values"] if name not in {cell["name"] for cell in cells}])
    told = f"{title}, {more} more set" if more else title
    return {"id": test["id"], "name": test["name"], "title": told, "off": bool(test.get("off")), "cells": cells}


def as_plan(bench: Workbench, chosen: Iterable[str], name: str = "plan", only: Sequence[str] = ()) -> Plan:
    """The tests that are on, or some by id, with some vehicles, as a plan of `jounce.study`."""
    wanted = [t for t in tests(bench) if (t["id"] in only if only else not t.get("off"))]
    if not wanted:
        raise ParameterError("the plan has no tests that are on; add one, or tick one")
    entries: list[dict[str, Any]] = []
    taken: list[str] = []
    for key in chosen:
        asked = request(bench, key)
        label = free_name(str(asked["name"]), taken)
        taken.append(label)
        entries.append({"name": label, "vehicle": asked["source"], **merged(asked["steps"])})
    if not entries:
        raise ParameterError("choose a vehicle for the plan")
    shown = [
        {"name": t["name"], "event": t["kind"], **_filed(events.raw_of(t["kind"], t["values"], bench.folders))}
        for t in wanted
    ]
    return Plan.new(name, shown, entries)


def _filed(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in raw.items()}


def submit(bench: Workbench, chosen: Sequence[str], options: Mapping[str, Any], only: Sequence[str] = ()) -> list[str]:
    """Queue all runs of the plan, events × vehicles; returns their ids. Refused as a whole where one is wrong."""
    plan = as_plan(bench, chosen, only=only)
    items = plan.items
    asked = [request(bench, key) for key in chosen]  # one after the other, as the plan has them
    ids = []
    for k, item in enumerate(items):
        vehicle = asked[k % len(asked)]
        event = item.case.event
        if isinstance(event, str):
            raise ParameterError(f"event {event!r}: not read")
        ids.append(bench.jobs.submit(vehicle, event.to_dict(), options, f"{item.vehicle} · {item.event}").id)
    return ids


# --- files -----------------------------------------------------------------------------------------------------------


def known(bench: Workbench) -> dict[str, Path]:
    """Plans in the registered folders."""
    found = {}
    for folder in bench.folders:
        for file in sorted((folder.path / PLACE).glob("*.yaml")):
            found[bench.folders.shown(file)] = file
    return found


def save(bench: Workbench, name: str, chosen: Iterable[str]) -> Path:
    """Write the plan, so that ``jounce plan run`` runs it too."""
    place = bench.folders.resolve(f"{bench.folders.main_alias}/{PLACE}", write=True)
    place.mkdir(parents=True, exist_ok=True)
    return as_plan(bench, chosen, name).save(place)


def open_file(bench: Workbench, file: Path) -> list[str]:
    """Take the tests of a plan file in place of those of the session; returns what is to be remarked."""
    plan = Plan.read(bench.folders.resolve(str(file)))
    fresh: list[Test] = []
    for k, entry in enumerate(plan.document.get("events") or [], 1):
        data = dict(entry) if isinstance(entry, Mapping) else {"event": entry}
        item = next(i for i in plan.items if i.event == str(data.get("name") or find_event(str(data["event"])).kind))
        event = item.case.event
        if isinstance(event, str):
            continue
        name = str(data.get("name") or event.kind)
        fresh.append(
            {"id": f"t{k}", "name": name, "kind": event.kind, "values": events.from_event(event), "off": False}
        )
    bench.session.data["plan"][:] = fresh
    bench.session.changed()
    left = [key for key in ("variations", "tolerances") if plan.document.get(key)]
    return (
        [f"{' and '.join(left)} of the file are for `jounce plan run`; the page runs the tests as they are"]
        if left
        else []
    )
