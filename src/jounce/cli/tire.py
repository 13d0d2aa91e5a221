"""`jounce tire`: show, check and fit tires, and run them on the rig."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

PICTURES = (".png", ".svg", ".pdf")
ACTIONS = ("show", "check", "fit", "rig")


def tire(
    action: Annotated[str, typer.Argument(help="show, check, fit or rig.")],
    files: Annotated[
        list[str],
        typer.Argument(help="Tire files or library names; fit: measurements (.csv, .tdx, .mat); rig: .vtt, or a tire."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    png: Annotated[Path | None, typer.Option(help="Write a picture.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page.")] = None,
    out: Annotated[Path | None, typer.Option(help="fit: the TIR file to write; rig: folder of the results.")] = None,
    load: Annotated[list[str] | None, typer.Option(help="Wheel load, also several times.")] = None,
    base: Annotated[str, typer.Option(help="fit: tire to start from, file or library name.")] = "",
    model: Annotated[str, typer.Option(help="fit: pac2002 or mf6, without --base.")] = "pac2002",
    radius: Annotated[str, typer.Option(help="fit: radius of the free tire.")] = "",
    axes: Annotated[str, typer.Option(help="Of measurements: iso, sae or adapted_sae.")] = "iso",
    column: Annotated[
        list[str] | None, typer.Option(help="Of measurements: quantity=column or quantity=column:unit (repeatable).")
    ] = None,
    wheel_axes: Annotated[bool, typer.Option("--wheel-axes", help="Measured forces are at the wheel centre.")] = False,
    side: Annotated[str, typer.Option(help="fit: left, right, symmetric; rig: also mirrored.")] = "left",
    robust: Annotated[bool, typer.Option("--robust", help="fit: do not let outliers pull.")] = False,
    by_load: Annotated[bool, typer.Option("--by-load", help="fit: all loads count alike.")] = False,
    pressure: Annotated[str, typer.Option(help="fit, mf6: nominal inflation pressure.")] = "",
    transient: Annotated[
        list[Path] | None, typer.Option(help="fit: record over time that shows relaxation, also several times.")
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            help="rig, with a tire: lateral, longitudinal, combined, vertical-stiffness, relaxation, "
            "frequency-response, cleat, or compare (what --measured asks for)."
        ),
    ] = "lateral",
    speed: Annotated[str, typer.Option(help="rig, with a tire: speed.")] = "",
    camber: Annotated[list[str] | None, typer.Option(help="rig, with a tire: inclination, also several times.")] = None,
    slip: Annotated[list[float] | None, typer.Option(help="rig, combined: longitudinal slip.")] = None,
    toe: Annotated[str, typer.Option(help="rig, with a tire: amplitude of toe.")] = "12 deg",
    measured: Annotated[
        list[Path] | None, typer.Option(help="rig: measurement to compare with, also several times.")
    ] = None,
) -> None:
    """Figures and pictures of tires, checks, fits to measurements, tests on a virtual rig."""
    from jounce.core.errors import ParameterError, did_you_mean

    options: dict[str, Any]
    if action == "show":
        _show(files, as_json, png, report, load)
    elif action == "check":
        _check(files, as_json)
    elif action == "fit":
        options = {
            "model": model, "radius": radius or None, "load": load[0] if load else None, "side": side,
            "robust": robust, "by_load": by_load, "pressure": pressure or None,
        }  # fmt: skip
        _places(png, out, report)
        if transient:
            options["transient"] = _measured(transient, axes, column or [], wheel_axes)
        _fit(files, _measured(files, axes, column or [], wheel_axes), out, base, options, as_json, png, report)
    elif action == "rig":
        options = {
            "loads": load or [], "cambers": camber or ["0 deg"], "slips": slip or [0.05], "toe": toe,
            "side": side.upper(), **({"speed": speed} if speed else {}),
        }  # fmt: skip
        points = _measured(measured or [], axes, column or [], wheel_axes) if measured else None
        _rig(files, test, options, out, points, as_json, png)
    else:
        raise ParameterError(f"tire {action}: unknown{did_you_mean(action, ACTIONS)}")


def _show(files: list[str], as_json: bool, png: Path | None, report: Path | None, load: list[str] | None) -> None:
    import json

    from jounce.components.tire.figures import figures, outside_loads
    from jounce.core.errors import ParameterError
    from jounce.core.units import parse
    from jounce.rigs.tire_report import check_tire, shown, write_page
    from jounce.rigs.tire_rig import find_tire

    if len(files) > 1 and report:
        raise ParameterError("tire show: one file at a time with --report")
    _places(png, report)
    loads = [parse(text, "N", "--load") for text in load or []]
    result, tires = [], [find_tire(name) for name in files]
    for tire in tires:
        for load_asked in loads:
            _warn(outside_loads(tire, load_asked), tire.name)
        numbers = figures(tire, loads[0] if loads else None)
        result.append(
            {
                "tire": tire.name,
                "model": tire.model.kind,
                "figures": {
                    k: {"value": f.value if f.value == f.value else None, "unit": f.unit} for k, f in numbers.items()
                },
            }
        )
        if not as_json:
            _table(tire, {k: (*shown(f), f.doc) for k, f in numbers.items()})
    if png or report:
        from jounce.rigs.tire_plots import characteristics, overlay

        figure = characteristics(tires[0], loads) if len(tires) == 1 else overlay(tires, loads)
        if png:
            _draw(figure, png)
            _said(as_json, f"picture: {png}")
        if report:
            write_page(report, tires[0], check_tire(tires[0]), figure)
            _said(as_json, f"report: {report}")
    if as_json:
        typer.echo(json.dumps(result if len(result) > 1 else result[0]))


def _places(png: Path | None, *others: Path | None) -> None:
    """Where files are to go, looked at before the work: a fit of a minute must not end in a missing folder."""
    from jounce.core.errors import ParameterError

    if png is not None and png.suffix.lower() not in PICTURES:
        raise ParameterError(f"--png {png}: pictures end in {', '.join(PICTURES)}")
    for path in (png, *others):
        if path is None:
            continue
        folder = path.expanduser().parent
        if not folder.is_dir():
            word = "is not a folder" if folder.exists() else "there is no such folder; make it first"
            raise ParameterError(f"{path}: {folder}: {word}")
        if path.expanduser().is_dir():
            raise ParameterError(f"{path}: is a folder; give the name of a file")


def _draw(figure: Any, png: Path) -> None:
    from jounce.core.writing import replacing

    with replacing(png, suffix=png.suffix.lower()) as temporary:
        figure.savefig(temporary, dpi=110)


def _warn(text: str, name: str = "") -> None:
    if text:
        typer.echo(f"warning: {name + ': ' if name else ''}{text}", err=True)


def _said(quiet: bool, text: str) -> None:
    if not quiet:
        typer.echo(text)


def _table(tire: Any, rows: dict[str, tuple[float, str, str]]) -> None:
    typer.echo(f"{typer.style(tire.name, bold=True)}  {tire.model.kind}, side: {tire.side}")
    for name, (value, unit, doc) in rows.items():
        number = f"{value:.4g}" if value == value else "not given"
        typer.echo(f"  {name:32}{number:>11} {unit:8} {typer.style(doc, dim=True)}")


def _check(files: list[str], as_json: bool) -> None:
    import json

    from jounce.rigs.tire_report import check_file
    from jounce.rigs.tire_rig import tire_path

    checks = [check_file(tire_path(name)) for name in files]
    if as_json:
        typer.echo(json.dumps([
            {"file": c.path, "ok": c.ok, "findings": [vars(f) for f in c.findings]} for c in checks
        ]))  # fmt: skip
    else:
        for c in checks:
            mark = typer.style("ok   ", fg="green") if c.ok else typer.style("error", fg="red", bold=True)
            about = f"{c.tire.name} ({c.tire.model.kind})" if c.tire is not None else ""
            typer.echo(f"{mark} {c.path}  {about}")
            for finding in c.findings:
                typer.echo(f"      {finding.level}: {finding}")
    if not all(c.ok for c in checks):
        raise typer.Exit(1)


def _measured(files: Sequence[str | Path], axes: str, column: list[str], wheel_axes: bool) -> Any:
    """Measured points, with columns as the options say."""
    from jounce.core.errors import ParameterError
    from jounce.rigs.tire_data import read_tire_data

    columns: dict[str, Any] = {}
    for text in column:
        quantity, equals, rest = text.partition("=")
        if not equals:
            raise ParameterError(f"--column {text}: write quantity=column or quantity=column:unit")
        name, _, unit = rest.partition(":")
        columns[quantity.strip()] = {"column": name.strip(), **({"unit": unit.strip()} if unit else {})}
    return read_tire_data(*files, axes=axes, columns=columns, wheel_axes=wheel_axes)


def _fit(
    files: list[str],
    data: Any,
    out: Path | None,
    base: str,
    options: dict[str, Any],
    as_json: bool,
    png: Path | None,
    report: Path | None,
) -> None:
    import json

    from jounce.rigs.tire_fit import fit_tire
    from jounce.rigs.tire_report import check_tire
    from jounce.rigs.tire_rig import find_tire

    name = out.stem if out is not None else Path(files[0]).stem
    result = fit_tire(data, find_tire(base) if base else None, name=name, **options)
    findings = check_tire(result.tire)
    written = {}
    if out is not None:
        result.write(out)
        written["tire"] = str(out)
    if png is not None or report is not None:
        figure = result.figure()
        if png is not None:
            _draw(figure, png)
            written["picture"] = str(png)
        if report is not None:
            from jounce.rigs.tire_report import write_page

            write_page(report, result.tire, findings, figure, result.text())
            written["report"] = str(report)
    errors = [str(f) for f in findings if f.level == "error"]
    if as_json:
        typer.echo(json.dumps({**result.to_dict(), "errors": errors, "files": written}))
    else:
        typer.echo(result.text())
        for what, file in written.items():
            typer.echo(f"{what}: {file}")
    if errors:
        for text in errors:
            typer.echo(f"error: {text}", err=True)
        about = f"{out} was written, but the" if out is not None else "The"
        typer.echo(f"{about} fitted tire does not pass the check and cannot be driven as it is.", err=True)
        raise typer.Exit(1)


def _rig(
    files: list[str],
    test: str,
    options: dict[str, Any],
    out: Path | None,
    measured: Any,
    as_json: bool,
    png: Path | None,
) -> None:
    import json

    from jounce.components.tire.figures import outside_loads
    from jounce.core.errors import ParameterError
    from jounce.files.vtt import read_vtt
    from jounce.rigs.tire_rig import TireRig, find_tire, write_results

    _places(png)
    if test == "compare" and measured is None:
        raise ParameterError("tire rig --test compare: say what to compare with, --measured FILE")
    runs, written = [], []
    for name in files:
        if Path(name).suffix.lower() == ".vtt":
            asked = read_vtt(name)
            rig = TireRig(asked.tire)
            run = rig.run(asked)
            _warn(outside_loads(rig.tire, float(run["tire.fz"].max())), run.label)
            runs.append(run)
            if out is not None:
                written.append(str(run.save(out / run.label)))
                written += [str(p) for p in write_results(run, out, asked.formats, run.label)]
        else:
            found = _named(name, test, options, measured)
            for run in found:
                _warn(outside_loads(find_tire(name), float(run["tire.fz"].max())), run.label)
            runs += found
            if out is not None:
                written += [str(run.save(out / run.label)) for run in found]
    comparison = None
    if measured is not None:
        from jounce.rigs.tire_compare import compare

        comparison = compare(runs, measured)
    if png is not None:
        from jounce.rigs.tire_plots import rig_figure

        _draw(rig_figure(runs) if comparison is None else comparison.figure(), png)
        written.append(str(png))
    if as_json:
        compared = {} if comparison is None else {"comparison": comparison.to_dict()}
        typer.echo(json.dumps({"runs": [_summary(run) for run in runs], **compared, "files": written}))
    elif comparison is not None:
        typer.echo(comparison.text())
        for file in written:
            typer.echo(file)
    else:
        for run in runs:
            numbers = _summary(run)
            typer.echo(f"{numbers['name']}: {numbers['status']}, {numbers['rows']} rows, {numbers['end']:g} s")
            for channel, (low, high, unit) in numbers["ranges"].items():
                typer.echo(f"  {channel:18} {low:12.5g} to {high:12.5g} {'' if unit == '-' else unit}")
            for warning in run.warnings:
                typer.echo(f"  warning: {warning}")
        for file in written:
            typer.echo(file)
    if any(run.metadata["status"] != "complete" for run in runs):
        raise typer.Exit(2)


def _named(name: str, test: str, options: dict[str, Any], measured: Any) -> list[Any]:
    """Runs of a test by its name."""
    from jounce.core.errors import ParameterError, did_you_mean
    from jounce.rigs.tire_rig import TireRig

    rig = TireRig(name)
    key = test.replace("_", "-")
    known = (
        *("lateral", "longitudinal", "combined", "vertical-stiffness", "relaxation", "frequency-response", "cleat"),
        "compare",
    )
    if key == "compare":
        from jounce.rigs.tire_compare import validate

        return list(validate(rig, measured, speed=options.get("speed")).runs)
    if key not in known:
        raise ParameterError(f"tire rig --test {test}: unknown{did_you_mean(key, known)}")
    if key in ("lateral", "longitudinal", "combined"):
        return rig.sweep(key.upper(), **options)
    pace = {"speed": options["speed"]} if "speed" in options else {}
    loads = options["loads"] or [None]
    if key == "vertical-stiffness":
        found = rig.vertical_stiffness(loads[0], **pace)
        k = len(found.rate) // 2
        typer.echo(f"vertical stiffness: {found.rate[k]:.5g} N/m at {found.load[k]:.0f} N", err=True)
        return [found.run]
    if key == "relaxation":
        lags = [rig.relaxation(load, **pace) for load in loads]
        for lag in lags:
            typer.echo(f"relaxation length: {lag.length:.4g} m", err=True)
        return [lag.run for lag in lags]
    if key == "frequency-response":
        return [rig.frequency_response(load, **pace).run for load in loads]
    return [rig.cleat(load=load, **pace) for load in loads]


def _summary(run: Any) -> dict[str, Any]:
    wanted = ("tire.fx", "tire.fy", "tire.fz", "tire.mz", "tire.slip", "tire.slip_angle")
    ranges = {c: (float(run[c].min()) + 0.0, float(run[c].max()) + 0.0, run.unit(c)) for c in wanted}
    return {
        "name": run.label,
        "status": run.metadata["status"],
        "rows": len(run),
        "end": float(run.time[-1]),
        "ranges": ranges,
        "warnings": list(run.warnings),
    }
