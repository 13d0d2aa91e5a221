"""Make the tables of docs/road_files.md from the code that reads the files: python tools/make_road_docs.py [--check]

Names, defaults and signatures come from the readers and the builder; the words below say what they mean. A key without
words, or words without a key, is an error. Everything between the two marker lines of the page is replaced. ``--check``
writes nothing; it exits with 1, and says so, when the page is not up to date.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from jounce.files import rdf, roads
from jounce.road import courses
from jounce.road.builder import RoadBuilder
from jounce.road.line import ENDS, SIDES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "road_files.md"
BEGIN = "<!-- begin: made by tools/make_road_docs.py, do not edit -->"
END = "<!-- end: made by tools/make_road_docs.py -->"

YAML_KEYS = {
    "road": "name; that of the file by default",
    "description": "text, shown by `jounce list roads`",
    "author": "text",
    "licence": "text",
    "source": "text",
    "flat": "a plane, instead of `line`; see below",
    "line": "pieces in order (see below), or `{path: FILE}` (a path file, or a name of `jounce list paths`), or "
    "`{straight: LENGTH}`",
    "start": "where the line begins: `{x, y, z, heading}`",
    "closed": "`true`: the end of the line is its start",
    "width": "m; `{left, right}`, or one for both; each a number or rows `[[s, width], …]`; 4",
    "height": "m; rows `[[s, z], …]`, joined smoothly, or a number",
    "bank": "slope, left side up; a number or rows `[[s, bank], …]`",
    "friction": "1 = as the tire was measured; `{left, right}`, or one for both; each a number or rows; 1",
    "kerbs": "`{left: …, right: …}`, each with the strips below",
    "crown": "slope from the line down to both edges",
    "unevenness": "see below",
    "beside": "`{side, end}`: what lies beyond the edges and beyond the ends",
    "features": "a list of what lies on the road; see below",
    "smoothing_time": "s over which an event lets the road grow out of the plane under the car; 0",
}
FLAT_KEYS = {
    "friction": ("-", "1", "everywhere"),
    "grade": ("slope", "0", "uphill along x"),
    "bank": ("slope", "0", "left side up"),
    "length": ("m", "100", "**only drawn**: the plane has no end, this is what pictures and `road show` take of it"),
    "width": ("m", "100", "the same across"),
    "patches": (
        "list",
        "none",
        "other friction: `{x, y, friction}` with `length` and `width`, or `radius`; x, y of the centre",
    ),
}
UNEVEN_KEYS = {
    "iso_8608": "class, or the density at 0.1 1/m in m³",
    "coherency": "of both wheel tracks, 0 … 1",
    "seed": "the same number gives the same road",
    "n_min": "smallest wave number",
    "n_max": "largest wave number",
}
STRIP_WORDS = {"slope": "of the strip, outwards and up", "width": "of the strip", "friction": "on the strip"}

RDF_BLOCKS = {
    "MODEL": "which kind of road",
    "GLOBAL": "what all kinds have",
    "FLAT_GEOMETRY": "drawn size of a plane, which has no end",
    "FRICTION": "constant friction",
    "FRICTION_TABLE": "rows s, friction left, right; or s, friction (FRICTION = 'GLOBAL_TABLE')",
    "WIDTH": "constant widths; WIDTH_TABLE comes first",
    "WIDTH_TABLE": "rows s, whole width",
    "PLANT_PATH": "rows s, curvature (left positive)",
    "VERTICAL_PATH": "rows s, height",
    "BANK_ANGLE_PATH": "rows s, angle of the bank (left side up)",
    "MEASURED_CENTERLINE": "rows x, y, z, angle of the bank",
    "LEFT_KERB_GEOMETRY": "rows s, slope in %, width, friction of the inner strip, then of the outer one",
    "RIGHT_KERB_GEOMETRY": "the same on the right",
    "IRREGULARITIES": "unevenness by a spectrum",
    "LEFT_PSD_TABLE": "rows wave number in rad/m, density in m³",
    "RIGHT_PSD_TABLE": "the same on the right",
    "PSD_PHASE_TABLE": "rows wave number in rad/m, phase of the right track",
    "PSD_COHERENCY_TABLE": "outdated; read with a warning, without effect",
    "MEASURED_IRREGULARITIES": "rows s, height left, height right",
    "CENTERLINE_PROPERTIES": "(PROPERTIES): rows s, 0, three angles, scales of u and v, friction, section",
    "SECTION_PROPERTIES": "(LIST) names the blocks of the sections, each with rows u, v, friction, from right to left",
    "NODES": "rows number, x, y, z",
    "ELEMENTS": "rows of three nodes and friction, or material (MATERIALS_MODE = 1)",
    "MATERIALS": "rows number, friction",
    "TRACK_PATH": "of a mesh: the line along which it is uneven; (TABLE): rows x, y, z",
    "ROAD_DATA": "of COMPOSITE: a MESH; here may stand instead: [MATERIALS], [IRREGULARITIES], of [GLOBAL] "
    "MESH_LOOKUP_CELL_SIZE, MATERIALS_MODE and IRREGULARITIES",
    "OPEN_CRG": "the OpenCRG file",
}
# Blocks that a kind reads besides those it needs.
ALONG = ("WIDTH", "WIDTH_TABLE", "FRICTION", "FRICTION_TABLE", "LEFT_KERB_GEOMETRY", "RIGHT_KERB_GEOMETRY")
UNEVEN = ("IRREGULARITIES", "LEFT_PSD_TABLE", "RIGHT_PSD_TABLE", "PSD_PHASE_TABLE", "MEASURED_IRREGULARITIES")
RDF_MORE = {
    "FLAT": ("FLAT_GEOMETRY",),
    "ANALYTIC": (*ALONG, *UNEVEN),
    "MEASURED": (*ALONG, *UNEVEN),
    "EXTRUSION": UNEVEN,
    "MESH": ("MATERIALS", "TRACK_PATH", *UNEVEN),
    "COMPOSITE": ("IRREGULARITIES", "MATERIALS"),
    "OPEN_CRG": ("FRICTION",),
    "EXTERNAL": (),
}
NO_EFFECT = "kept, without effect"
RDF_KEYS: dict[str, dict[str, str]] = {
    "GLOBAL": {
        "ORIGIN_X": "place of the road; 0",
        "ORIGIN_Y": "0",
        "ORIGIN_Z": "0",
        "ORIGIN_A3": "heading of the road; first turned, then shifted; 0",
        "OUTBOUND_SAFE": "'TRUE': beside the road it goes on; 'FALSE': no ground; 'TRUE'",
        "BESIDE": f"of roads along a line, a key of our own: {', '.join(s.upper() for s in SIDES)}",
        "BEYOND_END": f"the same beyond the ends: {', '.join(e.upper() for e in ENDS)}",
        "DISCRETIZATION_STEP": f"distance of stations; {rdf.STEP:g} m",
        "IRREGULARITIES": "'FLAT', 'ANALYTIC_PSD' or 'MEASURED_STD'; 'FLAT'",
        "LEFT_EDGE": "'FLAT' or 'KERB'; 'FLAT'",
        "RIGHT_EDGE": "the same on the right",
        "FRICTION": "'STANDARD' (block FRICTION), 'TABLE' or 'GLOBAL_TABLE' (FRICTION_TABLE); 'STANDARD'",
        "MESH_CHECK": "'TRUE': holes and bad triangles are errors, not warnings; 'FALSE'",
        "MESH_LOOKUP_CELL_SIZE": "of the index of a mesh; 1 m",
        "MESH_LOOKUP_ZTOL": "how far a storey may be above the asking point and still carry it; 0.1 m",
        "MATERIALS_MODE": "1: the last column of ELEMENTS names a material; 0",
        "SMOOTHING_TIME": "s over which an event lets the road grow; 0",
        "EVENT_CHECK": "'FALSE': no warning when a wheel leaves the road; 'TRUE'",
        "DISTANCE_CALC": NO_EFFECT,
        "SAFE_CALC": NO_EFFECT,
        "CP_COMPUTATION_MODE": NO_EFFECT,
    },
    "MODEL": {
        "TYPE": ", ".join(f"'{kind}'" for kind in rdf.TYPES) + "; 'SURFMESH' is MESH",
        "METHOD": "'USER'",
        "FUNCTION_NAME": "of the program that the file was made for",
        "MODE": "of MEASURED: 'STANDARD' through the points, 'SMOOTH' near them; 'STANDARD'",
        "OPERATING_MODE": "of EXTERNAL: 1 planes, 0 contact points; 1",
        "FORMAT": NO_EFFECT,
        "LEGACY_MODE": NO_EFFECT,
    },
    "FLAT_GEOMETRY": {"X_DIMENSION": "only drawn; 100 m", "Y_DIMENSION": "only drawn; 100 m"},
    "FRICTION": {
        "GLOBAL": "1",
        "LEFT_SIDE_MU": "of roads along a line; GLOBAL",
        "RIGHT_SIDE_MU": "of roads along a line; GLOBAL",
    },
    "WIDTH": {"LEFT_SIDE_WIDTH": "5 m", "RIGHT_SIDE_WIDTH": "5 m"},
    "IRREGULARITIES": {
        "MODEL": "must say what GLOBAL says",
        "STARTING_S": "0",
        "ENDING_S": "the end of the road",
        "SCALE": "of the heights; 1",
        "OMEGA_1": "smallest wave number, rad/m",
        "OMEGA_2": "largest wave number, rad/m",
        "LEFT_PSD_O1": "density at OMEGA_1, m³",
        "LEFT_PSD_O2": "density at OMEGA_2, m³",
        "RIGHT_PSD_O1": "the same on the right",
        "RIGHT_PSD_O2": "the same on the right",
        "LEFT_PSD_TABLE": "'TRUE': the table instead of both densities; 'FALSE'",
        "RIGHT_PSD_TABLE": "the same on the right",
        "PSD_SIDED": "'ONE' or 'TWO'; 'TWO'",
        "FFT_POINTS": "number of waves; needed for SYNTHESIS = 'WAVES'",
        "SYNTHESIS": "'WAVES', or 'FFT' for exact spectra, a value of our own; 'WAVES'",
        "PHASE": "of the right track; 0",
        "PHASE_TABLE": "'TRUE': PSD_PHASE_TABLE; 'FALSE'",
        "COHERENCY": "of both tracks: 0 or 1, with 'FFT' any value between; 1",
        "RNG_SEED": "whole number",
        "RNG_ALGORITHM": "0: another sequence of random numbers; 1",
        "CALC_MODE": NO_EFFECT,
    },
    "CENTERLINE_PROPERTIES": {
        "INTERPOLATION": "between sections: " + ", ".join(f"'{shape}'" for shape in rdf._SHAPES) + "; 'BASIC'",
        "SEGMENTATION": "'NONE', 'AUTO', 'DIMENSION' or 'STEP'; 'NONE'",
        "SEGMENT": "length (DIMENSION) or number (STEP) of parts",
    },
    "SECTION_PROPERTIES": {
        "INTERPOLATION": "between points of a section, as above",
        "SEGMENTATION": "as above",
        "SEGMENT": "as above",
        "ABSOLUTE_ORIENTATION": "'TRUE': angles in the axes of the file, else from the heading of the line; 'FALSE'",
        "POINTS": "number of points of every section, checked when given",
        "VARIABLE_SECTION": "'FALSE': the first row holds everywhere; 'TRUE'",
    },
    "NODES": {"NUMBER_OF_NODES": NO_EFFECT},
    "ELEMENTS": {"NUMBER_OF_ELEMENTS": NO_EFFECT},
    "TRACK_PATH": {
        "TYPE": "'NUMERIC_DATA' (table) or 'DRD_FILE'; 'NUMERIC_DATA'",
        "FILE_NAME": "of the DRD file",
        "REFERENCE": "'RELATIVE' to the origin of the road or 'ABSOLUTE'; 'RELATIVE'",
    },
    "ROAD_DATA": {"FILE_NAME": "of the mesh"},
    "OPEN_CRG": {
        "FILE": "the OpenCRG file",
        "MPC_ACTIVE": "'TRUE': a car feels the normal of three points, 'FALSE': a vertical one; 'TRUE'",
        "APPLY_MODIFIERS": "'FALSE': modifiers of the file are left out; 'TRUE'",
    },
}


def complete(what: str, known: Iterable[str], words: Iterable[str]) -> None:
    """Every key has words, and no others."""
    missing, unknown = set(known) - set(words), set(words) - set(known)
    if missing or unknown:
        raise SystemExit(f"{what}: without words {sorted(missing)}; without a key {sorted(unknown)}")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows), ""]


def unit_of(name: str) -> str:
    """As the reader of YAML files has it."""
    if name in roads.ANGLES:
        return "rad"
    return "-" if name in roads.DIMENSIONLESS or name == "factor" else "m"


def arguments(function: Callable[..., Any], shown: Mapping[str, str] | None = None) -> str:
    """Keys of a call of the builder, with units and defaults."""
    parts = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        key = (shown or {}).get(name, name)
        unit = "1/m" if shown and key in roads.INVERSE else unit_of(key)
        default = parameter.default
        if default is inspect.Parameter.empty:
            text = f"**{key}**"
        elif isinstance(default, bool):
            text = f"{key} = {str(default).lower()}"
        else:
            text = key if default is None else f"{key} = {default:g}"
        parts.append(text + (f" {unit}" if unit != "-" else ""))
    return ", ".join(parts)


def about(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")


def yaml_tables() -> list[str]:
    complete("road YAML", roads.KEYS, YAML_KEYS)
    complete("unevenness", ("iso_8608", *roads.UNEVENNESS), UNEVEN_KEYS)
    lines = ["## Keys of road YAML files", ""]
    lines += table(("key", "meaning; unit; default"), ((f"`{k}`", YAML_KEYS[k]) for k in roads.KEYS))
    lines += ["**Pieces of `line`.** Keys in bold are needed.", ""]
    renamed = {"first": "from", "last": "to"}
    pieces = [
        ("`straight: LENGTH`", "**length** m", "a straight line"),
        ("`arc`", arguments(RoadBuilder.arc), "a circular arc, positive to the left; write the unit: `angle: 90 deg`"),
        ("`clothoid`", arguments(RoadBuilder.clothoid, renamed), "curvatures at both ends, positive to the left"),
    ]
    lines += table(("piece", "keys", "meaning"), pieces)
    lines += [f"**`start`**: {arguments(RoadBuilder.start)}.", ""]
    beside = inspect.signature(RoadBuilder.beside).parameters
    for key, allowed in (("side", SIDES), ("end", ENDS)):
        lines += [
            f"**`beside.{key}`**: {', '.join(f'`{a}`' for a in allowed)}; `{beside[key].default}` by default.",
            "",
        ]
    lines += ["**`flat`**", ""]
    lines += table(("key", "unit", "default", "meaning"), ((f"`{k}`", *v) for k, v in FLAT_KEYS.items()))
    lines += [
        "**`kerbs.left`, `kerbs.right`**: two strips outside the lane; the second one lies outside the first.",
        "",
    ]
    strips = ((f"`{k}`", unit, STRIP_WORDS[k.partition("_")[0]]) for k, unit in roads.STRIPS.items())
    lines += table(("key", "unit", "meaning"), strips)
    lines += ["**`unevenness`**", ""]
    defaults = inspect.signature(RoadBuilder.unevenness).parameters
    lines += table(
        ("key", "unit", "default", "meaning"),
        (
            (
                f"`{k}`",
                roads.UNEVENNESS.get(k, ""),
                f"{defaults[k].default:g}" if k in defaults else "**needed**",
                words,
            )
            for k, words in UNEVEN_KEYS.items()
        ),
    )
    lines += ["**`features`**: s along the line, n to the left of it. Keys in bold are needed.", ""]
    found = (
        (f"`{kind}`", arguments(getattr(RoadBuilder, kind)), about(getattr(RoadBuilder, kind)))
        for kind in roads.FEATURES
    )
    return lines + table(("feature", "keys", "meaning"), found)


def rdf_tables() -> list[str]:
    headers = {*rdf.HEADERS, "UNITS"}
    complete("blocks of RDF", set(rdf.KNOWN_BLOCKS) - headers, RDF_BLOCKS)
    complete("kinds of RDF", rdf.TYPES, RDF_MORE)
    complete("blocks of RDF with keys", rdf.KEYS, RDF_KEYS)
    for block, keys in rdf.KEYS.items():
        complete(f"RDF [{block}]", keys, RDF_KEYS[block])
    lines = ["## RDF files", "", f"Every file has [{rdf.HEADERS[0]}] (or [{rdf.HEADERS[1]}]), [UNITS] and [MODEL].", ""]
    kinds = (
        (f"`{kind}`", ", ".join(rdf._NEED[kind]) or "none", ", ".join(RDF_MORE[kind]) or "none") for kind in rdf.TYPES
    )
    lines += table(("TYPE", "blocks it needs", "blocks it reads if they are there"), kinds)
    rows = []
    for block, words in RDF_BLOCKS.items():
        rows.append((f"**[{block}]**", words))
        rows += [(f"`{key}`", text) for key, text in RDF_KEYS.get(block, {}).items()]
    return lines + table(("block, key", "meaning; default"), rows)


def course_tables() -> list[str]:
    found = [
        function
        for name, function in vars(courses).items()
        if inspect.isfunction(function) and function.__module__ == courses.__name__ and not name.startswith("_")
    ]
    rows = []
    for function in found:
        signature = inspect.signature(function)
        parts = []
        for p in signature.parameters.values():
            shown = p.replace(annotation=inspect.Parameter.empty)
            parts.append(("*, " if p.kind is p.KEYWORD_ONLY and not any("*" in q for q in parts) else "") + str(shown))
        result = str(signature.return_annotation).rpartition(".")[2]
        rows.append((f"`{function.__name__}({', '.join(parts)})`", f"`{result}`", about(function)))
    lines = [
        "## Courses",
        "",
        "`jounce.road.courses`; lengths in m. A `Course` has `gates`, rows of x, y of the left and y of",
    ]
    lines += ["the right cone, and `path` through the middle of the lanes.", ""]
    return lines + table(("call", "gives", "meaning"), rows)


def tables() -> str:
    """The part of the page between the markers."""
    return "\n".join([*yaml_tables(), *rdf_tables(), *course_tables()])


def page(text: str) -> str:
    """A page with its tables as they should be."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{PAGE.name}: expected one line {BEGIN!r} and one line {END!r}")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def main(options: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say whether the page is up to date")
    chosen = parser.parse_args(options)
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if now == wanted:
        print(f"{PAGE.name}: up to date")
        return 0
    if chosen.check:
        print(f"{PAGE.name}: the tables are not up to date; run python tools/make_road_docs.py")
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    print(f"{PAGE.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
