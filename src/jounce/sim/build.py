"""From a description to a compiled model, through the cache.

``build(system)`` derives, compiles or finds the binary, and loads it. ``@recipe`` goes one step further: it wraps the
function that describes the system, and finds the finished model by the function's *source* and arguments, so that on
a hit the function is not called, nothing is derived and CasADi is not even imported::

    @recipe
    def quarter_car(axles: int = 2) -> System: ...

    library = quarter_car.build(axles=3)     # from the cache when it is there
    system = quarter_car(axles=3)            # the plain function

The key of a recipe is made of

* the code of the function and of the user's functions and classes it reaches, as they are in memory, with the plain
  values they read from module level. Code in memory may be older than its file, or have no file (notebooks);
* the text of every module of the user's own code it reaches, through names or import statements at any level;
* the arguments, defaults filled in;
* the code of the modules of this package that all of this reaches by import statements, without comments and
  docstrings (``jounce.sim.reach``). Recipes of the package stand in modules that import what describes only, so that
  readers, events, reports and the runtime are not among them;
* where packages of others take part: all of this package that may describe a model, as it is unknown what they use;
* the versions of Python, CasADi, NumPy and SciPy; of other packages that are imported: size and time of their file.

What else a function reads (files, environment, random numbers) is unknown to the key: pass such things as arguments.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
import gc
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import logging
import os
import platform
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, overload

from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import GeneratedModel
from jounce.runtime.cache import Entry, Store, cache_root, digest, prune_sometimes
from jounce.runtime.compile import RUNTIME, library_path
from jounce.sim.reach import absolute, code_text, parsed_imports, reach_digest

if TYPE_CHECKING:
    from jounce.runtime.simulation import Library

log = logging.getLogger(__name__)

# Raised when the meaning of a key or of an entry changes: this file is not in the key.
RECIPE_FORMAT = 2

# Models that stand in one of these are followed as a user's are: code in memory, text of files.
FRONT_ENDS = frozenset({"app", "bench", "cli", "rigs", "verify"})
# Their versions are in the key, so their files need not be looked at.
_VERSIONED = ("casadi", "numpy", "scipy")


# Models of this process, by key: a study asks for the same one again and again.
MEMORY_MODELS = 32
_MEMORY: dict[tuple[str, str], GeneratedModel] = {}


class Generates(Protocol):
    """What a builder returns: a ``System``, or anything that can be generated like one."""

    def generate(self) -> GeneratedModel: ...


P = ParamSpec("P")
S = TypeVar("S", bound=Generates | GeneratedModel)


def build(
    system: Generates | GeneratedModel, *, keep: str | os.PathLike[str] | None = None, runtime: Path = RUNTIME
) -> Library:
    """Derive a system, compile it unless its binary is in the cache, and load it.

    Parameters
    ----------
    system
        A ``System``, or anything with a method ``generate()`` that returns a ``GeneratedModel``, or such a model.
    keep
        Folder to write the C to, for reading. ``JOUNCE_KEEP_C=1`` in the environment does the same for all models.
    runtime
        Folder of the C runtime.
    """
    from jounce.runtime.simulation import Library

    generated = _generate(system, "build")
    path = library_path(generated.sources, name=generated.name, runtime=runtime, keep=keep)
    return Library(path, generated)


def _generate(system: Generates | GeneratedModel, what: str) -> GeneratedModel:
    if isinstance(system, GeneratedModel):
        return system
    if not callable(getattr(system, "generate", None)):
        raise ModelError(f"{what}: expected a System, got {type(system).__name__}; return the system you described")
    return system.generate()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """No search for cycles of garbage: deriving makes millions of objects that all stay, which it would go through
    again and again, a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# --- recipes ---------------------------------------------------------------------------------------------------------


class Recipe(Generic[P, S]):
    """A function that describes a system, with a cache of the finished models. See ``recipe``."""

    def __init__(self, function: Callable[P, S], *, runtime: Path = RUNTIME) -> None:
        if not isinstance(function, types.FunctionType):
            raise ParameterError(f"recipe: expected a plain function, got {type(function).__name__} {function!r}")
        self.function = function
        self.runtime = runtime
        self.signature = inspect.signature(function)
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> S:
        """Call the plain function: a new system, nothing cached."""
        result: S = self.function(*args, **kwargs)
        return result

    def __repr__(self) -> str:
        return f"<recipe {self.function.__module__}.{self.function.__qualname__}{self.signature}>"

    def __reduce__(self) -> str:
        return self.function.__qualname__  # by name, as a function: worker processes get recipes as tasks

    def key(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """Return the key under which the model with these arguments is kept."""
        sources = Sources()
        sources.function(self.function, top=True)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        name = self.function.__qualname__
        for argument, value in bound.arguments.items():
            sources.add(f"argument {argument}", _text(value, f"argument {argument!r} of {name}", sources))
        return digest("recipe", str(self.function.__module__), name, sources.digest(), *_surroundings())

    def generate(self, *args: P.args, **kwargs: P.kwargs) -> GeneratedModel:
        """Return the generated model: from the cache, or by calling the function and deriving now."""
        key = self.key(*args, **kwargs)
        place = (str(cache_root()), key)  # another cache must get its own entries
        if place not in _MEMORY:
            while len(_MEMORY) >= MEMORY_MODELS:
                _MEMORY.pop(next(iter(_MEMORY)))
            _MEMORY[place] = self._generated(key, *args, **kwargs)
        return _MEMORY[place]

    def _generated(self, key: str, *args: P.args, **kwargs: P.kwargs) -> GeneratedModel:
        store = Store("recipes")
        kept = _kept(store.get(key))
        if kept is not None:
            return kept
        with store.lock(key):
            entry = store.get(key, quiet=True)  # somebody else may have derived it while we waited
            if entry is None or _kept(entry) is None:
                start = time.perf_counter()
                name = self.function.__qualname__
                with _without_collector():
                    generated = _generate(self.function(*args, **kwargs), f"recipe {name}")
                try:
                    data = json.dumps(generated.to_dict()).encode()
                except (TypeError, ValueError) as error:
                    raise ModelError(
                        f"recipe {name}: the generated model {generated.name!r} cannot be kept as JSON: {error}\n"
                        "  its notes may hold numbers, strings, lists and dicts only"
                    ) from error
                try:
                    store.put(key, data, ".json", {"recipe": name, "model": generated.name})
                except OSError as error:  # a full disk: the model itself is fine
                    log.warning("model %s cannot be kept in %s: %s", generated.name, store.folder, error)
                log.info("derived %s in %.2f s", generated.name, time.perf_counter() - start)
            else:
                data = entry.data
        prune_sometimes()
        # Also after deriving through JSON: a model is the same whether it comes from the cache or not.
        return GeneratedModel.from_dict(json.loads(data))

    def build(self, *args: P.args, **kwargs: P.kwargs) -> Library:
        """Return the compiled model with these arguments, ready to simulate."""
        return build(self.generate(*args, **kwargs), runtime=self.runtime)


def _kept(entry: Entry | None) -> GeneratedModel | None:
    """The model of an entry; None when there is none, or when it is no model: then it is derived again."""
    if entry is None:
        return None
    try:
        return GeneratedModel.from_dict(json.loads(entry.data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("cache entry %s holds no model (%s): deriving it again", entry.path, type(error).__name__)
        return None


@overload
def recipe(function: Callable[P, S], /) -> Recipe[P, S]: ...
@overload
def recipe(*, runtime: Path) -> Callable[[Callable[P, S]], Recipe[P, S]]: ...


def recipe(
    function: Callable[P, S] | None = None, /, *, runtime: Path = RUNTIME
) -> Recipe[P, S] | Callable[[Callable[P, S]], Recipe[P, S]]:
    """Turn a function that describes a system into a recipe (decorator).

    Its arguments are numbers, strings, lists, dicts, enums, data classes: what can be written down. They are part of
    the key. Numbers that are parameters of the model are better given to the simulation: nothing is derived for them.
    """
    if function is None:
        return lambda wrapped: Recipe(wrapped, runtime=runtime)
    return Recipe(function, runtime=runtime)


@functools.cache
def _versions() -> tuple[str, ...]:
    # The names of the folders that say so are enough, in a tenth of the time; asked only where there are none.
    listed: list[str] = []
    for folder in dict.fromkeys(sys.path):
        with contextlib.suppress(OSError):
            listed += (name for name in os.listdir(folder or ".") if name.endswith(".dist-info"))
    return tuple(next((n for n in listed if n.startswith(f"{name}-")), "") or _asked(name) for name in _VERSIONED)


def _asked(name: str) -> str:
    from importlib import metadata

    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} absent"


def _surroundings() -> list[str]:
    python = f"{sys.implementation.name} {sys.version_info[:2]} {sys.platform} {platform.machine()}"
    return [str(RECIPE_FORMAT), python, *_versions()]


# --- values as text --------------------------------------------------------------------------------------------------


class _NotPlainError(Exception):
    """A value that cannot be written down; args: where in the argument, the value."""


def _text(value: object, what: str, sources: Sources | None = None) -> str:
    """Write a value down so that equal values give equal text, or raise ParameterError naming it."""
    try:
        return json.dumps(_plain(value, "", sources))
    except _NotPlainError as error:
        where, culprit = error.args
        inside = f" (at {where.lstrip('.')})" if where else ""
        kind = f"{type(culprit).__module__}.{type(culprit).__qualname__}"
        if isinstance(culprit, os.PathLike):
            hint = "a file may change without the path: read it first and pass what it says"
        else:
            hint = "pass numbers, strings, lists, dicts, enums, data classes or objects with to_dict()"
        raise ParameterError(f"{what}{inside}: a recipe cannot keep track of a {kind}; {hint}") from None
    except RecursionError:
        raise ParameterError(f"{what}: contains itself; pass data without cycles") from None


def _plain(value: object, where: str, sources: Sources | None) -> Any:
    """Return JSON-like data that tells apart what Python code can tell apart (tuples, 1 and True, dict order)."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float) and type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, complex | bytes) or value is ...:
        return {type(value).__name__: repr(value)}
    if type(value) in (tuple, list, set, frozenset):
        items = [_plain(item, f"{where}[{index}]", sources) for index, item in enumerate(value)]  # type: ignore[var-annotated, arg-type]
        if isinstance(value, set | frozenset):
            items.sort(key=json.dumps)
        return {type(value).__name__: items}
    if isinstance(value, dict) and type(value) is dict:
        pairs = [
            [_plain(k, f"{where}[{k!r}]", sources), _plain(v, f"{where}[{k!r}]", sources)] for k, v in value.items()
        ]
        return {"dict": pairs}
    content = _content(value)
    if content is None:
        raise _NotPlainError(where, value)
    kind = type(value)
    if sources is not None:
        sources.klass(kind)  # what its methods do may change while its data does not
        for part in getattr(value, "made_of", tuple)():  # classes of parts that its own code does not import
            sources.klass(part)
    inner = [[name, _plain(item, f"{where}.{name}", sources)] for name, item in content]
    return {f"{kind.__module__}.{kind.__qualname__}": inner}


def _content(value: object) -> list[tuple[str, object]] | None:
    """Return named parts of an object that can be written down, None for other objects."""
    if isinstance(value, type):
        return None
    if isinstance(value, enum.Enum):
        return [("name", value.name), ("value", value.value)]
    if is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in fields(value)]
    # Looked up on the type: an object that answers to any name (a module loaded on first use) must not be woken.
    kind: Any = type(value)
    for method in ("model_dump", "to_dict", "_asdict"):
        if callable(getattr(kind, method, None)):
            return [(method, getattr(value, method)())]
    if hasattr(kind, "dtype") and hasattr(kind, "tolist"):  # NumPy's arrays and scalars, without importing it
        array: Any = value
        return [("dtype", str(array.dtype)), ("shape", tuple(array.shape)), ("data", array.tolist())]
    return None


def _name_of(value: object) -> str:
    kind = type(value)
    if any("__getattr__" in vars(base) for base in kind.__mro__):  # not to be woken, as above
        return f"{kind.__module__}.{kind.__qualname__}"
    return f"{kind.__module__}.{kind.__qualname__} {getattr(value, '__qualname__', getattr(value, '__name__', ''))}"


# --- sources ---------------------------------------------------------------------------------------------------------


class Sources:
    """Collects the code that a function can reach; see the module docstring."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, str]] = []
        self._seen: set[int] = set()
        self._modules: dict[str, tuple[str, bool]] = {}  # own modules: name -> file, is a package
        self._others: dict[str, str] = {}  # packages of others: name -> size and time
        self._package: set[str] = set()  # modules of this package, and names in them

    def add(self, label: str, text: str) -> None:
        self._parts.append((label, text))

    def digest(self) -> str:
        """Return the digest of everything collected; reads the files and follows their import statements."""
        pending, texts = list(self._modules), {}
        while pending:
            name = pending.pop()
            if name in texts:
                continue
            file, is_package = self._modules[name]
            try:
                data = Path(file).read_bytes()
            except OSError:
                data = b""  # changed under our feet; the code in memory is in the key
            texts[name] = hashlib.sha256(data).hexdigest()
            package = name if is_package else name.rpartition(".")[0]
            if name == "__main__":
                package = getattr(sys.modules[name], "__package__", None) or ""
            for imported in absolute(parsed_imports(data), package):
                self._module(imported)
            pending += [other for other in self._modules if other not in texts]
        parts = [*self._parts, *texts.items(), *self._others.items()]
        ours = reach_digest(self._package, everything=bool(self._others))
        return digest(ours, *(part for pair in sorted(set(parts)) for part in pair))

    # what is in memory

    def function(self, function: types.FunctionType, top: bool = False) -> None:
        """Take the code of a function and what it reads from outside itself."""
        module = str(function.__module__)
        if id(function) in self._seen or not (self._module(module) or top):
            return
        self._seen.add(id(function))
        label = f"{module}.{function.__qualname__}"
        # Where no file stands behind the code, what cannot be written down would be lost without a trace.
        strict = module not in self._modules and not module.startswith("jounce.")
        self.add(label, code_text(function.__code__))
        names = dict.fromkeys(name for code in _codes(function.__code__) for name in code.co_names)
        for name in _global_names(function.__code__) if strict else names:
            if name in function.__globals__:
                value = function.__globals__[name]
                self._value(value, f"{label}: name {name!r} of module {module}", strict)
                if isinstance(value, types.ModuleType) and value.__name__ == "jounce":
                    self._package.update(f"jounce.{attribute}" for attribute in names)
                elif isinstance(value, types.ModuleType) and self._module(value.__name__):
                    for attribute in names:
                        if attribute in vars(value):
                            self._value(vars(value)[attribute], f"{value.__name__}.{attribute}", False)
        if strict:  # import statements of code with a file are found there
            for imported in _imported_names(function.__code__):
                self._module(imported)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:  # not filled yet: a name defined further down
                continue
            self._value(value, f"{label}: outer variable {name!r}", strict or top)
        if not top:  # those of the recipe itself are among the arguments
            for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
                self._value(value, f"{label}: default value", strict)
        for value in vars(function).values():  # a decorated function: __wrapped__ and the like
            self._value(value, label, False)

    def klass(self, kind: type) -> None:
        """Take the methods and plain attributes of a class of the user."""
        if id(kind) in self._seen or not self._module(kind.__module__):
            return
        self._seen.add(id(kind))
        label = f"{kind.__module__}.{kind.__qualname__}"
        self.add(label, repr([(name, str(item)) for name, item in vars(kind).get("__annotations__", {}).items()]))
        for name, value in vars(kind).items():
            if isinstance(value, types.FunctionType) and value.__code__.co_filename.startswith("<"):
                self.add(f"{label}.{name}", code_text(value.__code__))  # written by a decorator such as dataclass
            elif not name.startswith("__") or callable(value) or isinstance(value, classmethod | staticmethod):
                self._value(value, f"{label}.{name}", False)
        for base in kind.__bases__:
            self.klass(base)

    def _value(self, value: object, label: str, strict: bool) -> None:
        if isinstance(value, types.FunctionType):
            self.function(value)
        elif isinstance(value, Recipe):
            self.function(value.function)
        elif isinstance(value, types.ModuleType):
            self._module(value.__name__)
        elif isinstance(value, type):
            self.klass(value)
        elif isinstance(value, staticmethod | classmethod | types.MethodType):
            self._value(value.__func__, label, strict)
        elif isinstance(value, property):
            for accessor in (value.fget, value.fset):
                self._value(accessor, label, strict)
        elif isinstance(value, functools.cached_property):
            self._value(value.func, label, strict)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._value(part, label, strict)
        elif isinstance(value, types.BuiltinFunctionType) or self._is_foreign_callable(value):
            self.add(label, _name_of(value))
        else:
            try:
                self.add(label, _text(value, label, self))
            except ParameterError as error:
                if strict:
                    raise ParameterError(f"{error}\n  or pass it to the recipe as an argument in such a form") from None

    def _is_foreign_callable(self, value: object) -> bool:
        """True for callable objects of libraries (a NumPy ufunc, a typing alias): named, not written down."""
        return callable(value) and not self._module(type(value).__module__)

    # what is on disk

    def _module(self, name: str) -> bool:
        """True for modules of the user's own code; remembers them, modules of this package, and packages of others."""
        if name in self._modules:
            return True
        top = name.partition(".")[0]
        if top == "jounce":
            if name.split(".")[1:2] == [] or name.split(".")[1] not in FRONT_ENDS:
                self._package.add(name)
                return False
        elif top in self._others or top in _VERSIONED:
            return False
        found = _locate(name)
        if found is None:
            # No file: a notebook or a module made in memory is the user's; a built-in one is not.
            module = sys.modules.get(name)
            return top not in sys.stdlib_module_names and (module is None or _has_no_file(module))
        file, is_package = found
        if top == "jounce" or not _is_installed(file):
            self._modules[name] = file, is_package
            while name.rpartition(".")[0]:  # its packages run when it is imported
                name = name.rpartition(".")[0]
                self._module(name)
            return True
        if not file.startswith(_STDLIB) or _in_packages(file):
            origin = _locate(top)
            info = os.stat(origin[0] if origin else file)
            self._others[top] = f"{info.st_size} {info.st_mtime_ns}"
        return False


_STDLIB = os.path.dirname(os.path.realpath(os.__file__)) + os.sep


def _in_packages(file: str) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _is_installed(file: str) -> bool:
    return _in_packages(file) or file.startswith(_STDLIB)


def _has_no_file(module: types.ModuleType) -> bool:
    # A notebook's or an interactive __main__; built-in modules have no file either, but do have an origin.
    spec = getattr(module, "__spec__", None)
    return getattr(module, "__file__", None) is None and (spec is None or spec.origin is None)


def _locate(name: str) -> tuple[str, bool] | None:
    """Return the file of a module and whether it is a package, without importing anything; None without a file."""
    module = sys.modules.get(name)
    if module is not None:
        file = getattr(module, "__file__", None)
        return (os.path.realpath(file), hasattr(module, "__path__")) if file and os.path.isfile(file) else None
    top, *rest = name.split(".")
    if top in sys.stdlib_module_names:
        return None
    try:
        spec = importlib.util.find_spec(top)
        full = top
        for part in rest:
            if spec is None or spec.submodule_search_locations is None:
                return None
            full = f"{full}.{part}"
            spec = importlib.machinery.PathFinder.find_spec(full, list(spec.submodule_search_locations))
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None or not spec.origin or not os.path.isfile(spec.origin):
        return None
    return os.path.realpath(spec.origin), spec.submodule_search_locations is not None


# --- code objects ----------------------------------------------------------------------------------------------------


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)


def _global_names(code: types.CodeType) -> list[str]:
    """Return the names that are read from module level, without the names of attributes."""
    reads = ("LOAD_GLOBAL", "LOAD_NAME")
    found = (item.argval for part in _codes(code) for item in dis.get_instructions(part) if item.opname in reads)
    return list(dict.fromkeys(found))


def _imported_names(code: types.CodeType) -> list[str]:
    """Return the names of modules that import statements within a function may mean."""
    found, module = [], ""
    for part in _codes(code):
        for item in dis.get_instructions(part):
            if item.opname == "IMPORT_NAME":
                module = str(item.argval)
                found.append(module)
            elif item.opname == "IMPORT_FROM":
                found.append(f"{module}.{item.argval}")
    return [name for name in dict.fromkeys(found) if name.strip(".")]
