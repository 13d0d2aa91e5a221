"""`jounce plan`: events × vehicles × variations from one file, and what changed since a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

ACTIONS = ("run", "diff", "show", "pack")


def plan(
    action: Annotated[str, typer.Argument(help="run, diff, show or pack.")],
    places: Annotated[
        list[Path],
        typer.Argument(help="run, pack: a plan (.yaml, or a packed one). diff: two folders of results. show: one."),
    ],
    out: Annotated[Path | None, typer.Option(help="run: folder of results; pack: folder or .zip to write.")] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "--jobs", min=1, help="Runs at a time; default one per processor.")
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", help="run: an event or a run of the plan, by name (repeatable).")
    ] = None,
    dask: Annotated[str, typer.Option(help="run: address of the scheduler of a Dask cluster.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Run a test plan and go on after an interruption; tell which figures changed since a baseline.

    Exit codes: 0 fine; 1 the plan is wrong, or `diff` found changes; 2 a run did not come to its end.
    """
    from jounce.core.errors import ParameterError, did_you_mean

    if action not in ACTIONS:
        raise ParameterError(f"plan {action}: unknown{did_you_mean(action, ACTIONS)}")
    wanted = 2 if action == "diff" else 1
    if len(places) != wanted:
        raise ParameterError(f"plan {action}: {len(places)} given; expected {'two folders' if wanted == 2 else 'one'}")
    if action == "run":
        _run(places[0], out, workers, select or [], dask, as_json)
    elif action == "diff":
        _diff(places[0], places[1], as_json)
    elif action == "show":
        _show(places[0], as_json)
    else:
        from jounce.study.packing import pack, unpacked

        if out is None:
            raise ParameterError("plan pack: --out is missing: a folder, or a file that ends in .zip")
        with unpacked(places[0]) as found:
            typer.echo(f"packed: {pack(found, out)}")


def _run(place: Path, out: Path | None, workers: int | None, select: list[str], dask: str, as_json: bool) -> None:
    import json

    from jounce.cli._variants import ProgressBar
    from jounce.study.packing import unpacked
    from jounce.study.running import run_plan

    with unpacked(place) as found:
        executor = None
        if dask:
            from jounce.study.cluster import dask as cluster

            executor = cluster(dask)
        chosen = found.selected(select) if select else found
        target = out if out is not None else Path(f"{place.stem}_results")
        with ProgressBar(found.name, len(chosen.items)) as progress:
            done = run_plan(chosen, target, workers=workers, progress=progress, executor=executor)
    if as_json:
        counts = {"runs": len(done.items), "fresh": done.fresh, "not_complete": len(done.failed)}
        failed = [{"run": item.name, "reason": why} for item, why in done.failed]
        outputs = [str(path) for path in done.outputs]
        typer.echo(
            json.dumps(
                {
                    "ok": done.ok,
                    **counts,
                    "folder": str(done.folder),
                    "outputs": outputs,
                    "failed": failed,
                    "remarks": done.remarks,
                }
            )
        )
    else:
        typer.echo(
            f"{len(done.items)} runs, {len(done.items) - len(done.failed)} complete, {done.fresh} run now: "
            f"{target / 'index.html'}"
        )
        for item, why in done.failed[:20]:
            typer.echo(f"{item.label}: {why}")
        if len(done.failed) > 20:
            typer.echo(f"and {len(done.failed) - 20} more; summary.csv has them all")
        for remark in done.remarks:
            typer.echo(f"{typer.style('note:', fg='yellow')} {remark}", err=True)
    if not done.ok:
        raise typer.Exit(2)


def _diff(before: Path, after: Path, as_json: bool) -> None:
    import json

    from jounce.study.difference import difference

    found = difference(before, after)
    typer.echo(json.dumps(found.to_dict()) if as_json else str(found))
    if not found.ok:
        raise typer.Exit(1)


def _show(folder: Path, as_json: bool) -> None:
    import json

    from jounce.results.display import number, pretty
    from jounce.results.words import figure
    from jounce.study.summary import as_text, read_summary

    found = read_summary(folder)
    if as_json:
        typer.echo(json.dumps(found))
        return
    runs: list[dict[str, Any]] = found["runs"]
    bad = [row for row in runs if row["status"] != "complete"]
    typer.echo(f"{found['plan']}: {len(runs)} runs, {len(runs) - len(bad)} complete")
    for event in dict.fromkeys(row["event"] for row in runs):
        rows = [row for row in runs if row["event"] == event]
        typer.echo(f"\n{event}: {len(rows)} run{'s' if len(rows) != 1 else ''}")
        if len(rows) > 8:
            typer.echo("too many for the terminal; index.html and summary.csv have them")
            continue
        heads = [" ".join(filter(None, (row["vehicle"], row["variation"]))) for row in rows]
        table = [["", "", *heads], ["", "", *(row["verdict"] or row["status"] for row in rows)]]
        for name in dict.fromkeys(key for row in rows for key in row["figures"]):
            units = [row["figures"][name][1] for row in rows if name in row["figures"]]
            cells = [_cell(row, name, number) for row in rows]
            table.append([figure(name, rows[0]["kind"]), pretty(units[0]), *cells])
        typer.echo(as_text(table))
    for remark in found.get("remarks", []):
        typer.echo(f"note: {remark}")
    for row in bad[:20]:
        typer.echo(f"{row['run']}: {row['reason'] or row['status']}")


def _cell(row: dict[str, Any], name: str, number: Any) -> str:
    value = row["figures"].get(name, (None, ""))[0]
    if value is None:
        return "–"
    span = row["ranges"].get(name)
    mark = "" if span is None or span[0] <= value <= span[1] else " ▲" if value > span[1] else " ▼"
    return f"{number(value)}{mark}"
