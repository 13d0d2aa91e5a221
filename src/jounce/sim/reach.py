"""Which modules of this package a description reaches, and a digest of their code.

A model depends on the code that describes it, not on the files that read, run or draw something. What counts is the
closure of import statements, at any level of a file (top, inside functions), from the modules a recipe names:

* ``import jounce.a.b`` and ``from jounce.a import b`` reach those modules and the packages above them;
* names of the package itself (``jn.System``, ``from jounce import load``) reach the module that holds them;
* a module that imports by computed names (``import_module(name)``) reaches the modules of this package that its
  string constants name, as a table of parts does; without such constants every module of its own folder and below,
  and from ``core``, which knows nobody, everything that describes;
* ``runtime`` and ``sim.build`` are never followed: they run what was described, and what they need to know of it is in
  ``core.generated``. The C runtime is in the key of the binary.

The digest is of the compiled code without docstrings and line numbers: comments, docstrings and layout do not matter.

A module that this process has loaded counts as it was when it was first looked at: an edit or an update of its file
changes nothing of the code in memory, and must not give its models the key of the new code. Where it was changed before
that look but after the process began, nobody knows which code is in memory: its models have keys of this process alone.
"""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType

import jounce
from jounce.runtime.cache import cache_root, digest, recall, remember

PACKAGE = Path(jounce.__file__).parent
# Layers that may take part in describing a model; their imports point down (pyproject.toml, tests/test_layers.py).
DESCRIBING = ("components", "core", "road", "symbolic", "vehicle")
# Run what was described, and never shape it.
SERVING = ("jounce.runtime", "jounce.sim.build", "jounce.sim.reach")
# Always there: how a generated model is written down and read.
ALWAYS = ("jounce.core.generated",)

# Raised when the digest of an unchanged file changes its meaning.
_FORMAT = 2
_RECENT = 2_000_000_000  # ns: a file changed this very moment may change again without a new stamp
_DYNAMIC = frozenset({"import_module", "__import__", "pkgutil", "spec_from_file_location"})

# stamp, digest of the code, names of modules it may import; computed names: loads others of its folder
_Known = tuple[str, str, list[str], bool]
_memory: dict[tuple[str, str], dict[str, _Known]] = {}
# by file: how this process loaded it (a reload does so anew), and what it was at the first look
_loaded: dict[str, tuple[object, _Known]] = {}
_BEGAN = time.time_ns()


def reach_digest(roots: Iterable[str], everything: bool = False) -> str:
    """Return the digest of the code of all modules reached from `roots`.

    Parameters
    ----------
    roots
        Names of modules of this package, or of things in them (``jounce.symbolic.system.System``).
    everything
        Take all layers that may describe a model as roots, too.
    """
    found = reached(roots, everything)
    return digest(*(part for name in sorted(found) for part in (name, found[name])))


def reached(roots: Iterable[str], everything: bool = False) -> dict[str, str]:
    """Return the modules reached from `roots`, with the digest of the code of each."""
    tree = _Tree(PACKAGE)
    pending = [*roots, *ALWAYS]
    if everything:
        pending += [name for layer in DESCRIBING for name in tree.below(f"jounce.{layer}")]
    found: dict[str, str] = {}
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        module = tree.module(name)
        if module is None or module in found or _is_serving(module):
            continue
        _, code, imports, computed = tree.known(module)
        found[module] = code
        pending += [*_above(module), *imports]
        if computed:
            pending += tree.loadable(module)
    tree.keep()
    return found


def _is_serving(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in SERVING)


def _above(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(2, len(parts))]


class _Tree:
    """The files of the package, as they are now."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self._listed: dict[str, frozenset[str]] = {}
        self._changed = False
        self._key = digest("modules", str(_FORMAT), sys.version, str(package))
        place = (str(cache_root()), self._key)
        if place not in _memory:
            kept = recall("modules", self._key) or {}
            # what this process read for another cache folder is as good: stamps tell whether it still holds
            others = [entries for (_, key), entries in _memory.items() if key == self._key]
            _memory[place] = {name: entry for entries in others for name, entry in entries.items()}
            _memory[place] |= {str(name): tuple(entry) for name, entry in kept.items()}
            self._changed = len(_memory[place]) > len(kept)
        self._known = _memory[place]

    def module(self, name: str) -> str | None:
        """The module that a dotted name means, or that holds it; None when it is not in this package."""
        top, *parts = name.split(".")
        if top != "jounce":
            return None
        if _public().get(".".join(parts), name) != name:
            return self.module(_public()[parts[0]])
        module, folder = "jounce", str(self.package)
        for part in parts:
            if part in self._names(folder):
                folder = os.path.join(folder, part)
            elif f"{part}.py" in self._names(folder):
                return f"{module}.{part}"
            else:
                break  # a name within the module so far
            module = f"{module}.{part}"
        # The package itself holds names only, and those are looked up above.
        return module if module != "jounce" else None

    def _names(self, folder: str) -> frozenset[str]:
        if folder not in self._listed:
            names: set[str] = set()
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                names = {e.name for e in entries if e.name.endswith(".py") or (e.name.isidentifier() and e.is_dir())}
            self._listed[folder] = frozenset(names)
        return self._listed[folder]

    def below(self, package: str) -> list[str]:
        """All modules of a folder and of the folders in it."""
        folder = os.path.join(self.package, *package.split(".")[1:])
        names = self._names(folder)
        found = [package] if "__init__.py" in names else []
        for name in names:
            if name.endswith(".py"):
                found += [f"{package}.{name[:-3]}"] if name != "__init__.py" else []
            elif name != "__pycache__":
                found += self.below(f"{package}.{name}")
        return found

    def loadable(self, module: str) -> list[str]:
        """What a module that imports by computed names may load."""
        home = module if self._is_package(module) else module.rpartition(".")[0]
        if home == "jounce.core" or home.startswith("jounce.core."):
            return [name for layer in DESCRIBING for name in self.below(f"jounce.{layer}")]
        return self.below(home)

    def _is_package(self, module: str) -> bool:
        return os.path.isdir(os.path.join(self.package, *module.split(".")[1:]))

    def known(self, module: str) -> _Known:
        """What the file of a module says; parsed only when it changed."""
        base = os.path.join(self.package, *module.split(".")[1:])
        is_package = os.path.isdir(base)
        file = os.path.join(base, "__init__.py") if is_package else f"{base}.py"
        held = sys.modules.get(module)
        spec = getattr(held, "__spec__", None) if getattr(held, "__file__", None) == file else None
        if spec is not None and file in _loaded and _loaded[file][0] is spec:
            return _loaded[file][1]
        entry = self._on_disk(module, file, is_package)
        if spec is not None:
            with contextlib.suppress(OSError):
                if os.stat(file).st_mtime_ns > _BEGAN:
                    entry = entry[0], digest(entry[1], f"{os.getpid()} {_BEGAN}"), *entry[2:]
            _loaded[file] = spec, entry
        return entry

    def _on_disk(self, module: str, file: str, is_package: bool) -> _Known:
        try:
            info = os.stat(file)
        except OSError:
            return "", "no file", [], False  # a folder without __init__.py
        # ctime cannot be set by hand: it shows an edit even where times are normalised (images, archives)
        changed = 0 if sys.platform == "win32" else info.st_ctime_ns
        stamp = f"{info.st_size} {info.st_mtime_ns} {changed}"
        entry = self._known.get(module)
        if entry is not None and entry[0] == stamp:
            return entry
        code, imports, computed = _read(Path(file), module if is_package else module.rpartition(".")[0], self)
        entry = stamp, code, imports, computed
        if time.time_ns() - max(info.st_mtime_ns, changed) > _RECENT:
            self._known[module] = entry
            self._changed = True
        return entry

    def keep(self) -> None:
        """Remember on disk what was read."""
        if self._changed:
            remember("modules", self._key, {name: list(entry) for name, entry in self._known.items()})


def _public() -> dict[str, str]:
    """Names of the package itself and the module that holds each."""
    return jounce._LAZY


def _read(file: Path, package: str, tree: _Tree) -> tuple[str, list[str], bool]:
    """Return the digest of the code, the modules it may import, and whether it loads others of its folder."""
    data = file.read_bytes()
    try:
        parsed = ast.parse(data)
    except (SyntaxError, ValueError):  # an edit under way
        return digest(data), [], False
    nodes = list(ast.walk(parsed))
    names = absolute(imports_of(nodes), package)
    told, computed = _loads(nodes)
    names += told
    if computed:
        texts = (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
        named = [name for text in texts for name in _named(text, tree)]
        names, computed = [*names, *named], not named
    own = sorted({name for name in names if name.partition(".")[0] == "jounce"})
    return digest(code_text(compile(parsed, "", "exec", dont_inherit=True, optimize=2))), own, computed


def _loads(nodes: Iterable[ast.AST]) -> tuple[list[str], bool]:
    """Return names in calls such as ``import_module("casadi")``, and whether there are calls with computed names."""
    told, mentions = [], 0
    for node in nodes:
        if (isinstance(node, ast.Name) and node.id in _DYNAMIC) or (
            isinstance(node, ast.Attribute) and node.attr in _DYNAMIC
        ):
            mentions += 1
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func
            called = getattr(function, "id", getattr(function, "attr", ""))
            if called in _DYNAMIC and isinstance(node.args[0].value, str):
                told.append(node.args[0].value)
    return told, mentions > len(told)


def _named(text: str, tree: _Tree) -> list[str]:
    """The modules that a string constant names: ``jounce.a.b``, ``jounce.a.b:Name``, ``jounce.a.`` (all in a)."""
    name = text.partition(":")[0]
    if not name.startswith("jounce.") or not all(part.isidentifier() for part in name.rstrip(".").split(".")):
        return []
    if name.endswith("."):
        return tree.below(name.rstrip("."))
    return [name] if tree.module(name) == name else []


# --- one file --------------------------------------------------------------------------------------------------------


def code_text(code: CodeType) -> str:
    """Write down what a code object does; where it stands in its file does not matter."""
    constants = [_constant(item) for item in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return repr((code.co_code, constants, names, counts))


def _constant(item: object) -> str:
    if isinstance(item, CodeType):
        return code_text(item)
    if isinstance(item, frozenset):  # its order changes from process to process
        return f"frozenset{sorted(map(_constant, item))}"
    if isinstance(item, tuple):
        return f"({', '.join(map(_constant, item))})"
    return f"{type(item).__name__} {item!r}"


def imports_of(nodes: Sequence[ast.AST]) -> set[tuple[int, str]]:
    """Return level and name of everything that import statements anywhere in a file may mean.

    Of names of this package read as attributes (``jn.System``) each attribute; a use of ``jn`` in any other way stands
    for all of them.
    """
    found: set[tuple[int, str]] = set()
    ours: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.add((0, alias.name))
                if alias.name == "jounce" or (alias.name.startswith("jounce.") and alias.asname is None):
                    ours.add(alias.asname or "jounce")
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            found.add((node.level, base))
            found.update((node.level, f"{base}.{alias.name}".lstrip(".")) for alias in node.names)
    if ours:
        plain = 0
        for node in nodes:
            if isinstance(node, ast.Name) and node.id in ours:
                plain += 1
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ours:
                plain -= 1
                found.add((0, f"jounce.{node.attr}"))
        if plain:
            found.add((0, "jounce.*"))
    if (0, "jounce.*") in found:
        found.update((0, f"jounce.{name}") for name in _public())
    return found


def absolute(imports: Iterable[tuple[int, str]], package: str) -> list[str]:
    """Return the full names of imports in a module of a package."""
    names = []
    for level, name in imports:
        if level == 0:
            names.append(name)
        elif package:
            parent = package.split(".")[: len(package.split(".")) - level + 1]
            names.append(".".join([*parent, *([name] if name else [])]))
    return [name for name in names if name]


def parsed_imports(data: bytes) -> list[tuple[int, str]]:
    """Imports of a file by its content, remembered on disk by it, so that they can never be out of date."""
    key = digest("imports", str(_FORMAT), data)
    known = recall("imports", key)
    if known is None:
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            return []  # not Python (an extension module), or an edit under way
        known = {"imports": sorted(imports_of(list(ast.walk(tree))))}
        remember("imports", key, known)
    return [(level, name) for level, name in known["imports"]]
