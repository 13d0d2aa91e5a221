"""Property files: the text grammar ("TeimOrbit") that tire, road, aero, engine, rig and vehicle files share.

    $ a comment, anywhere on a line             ! a comment, when it is the first character of a line or behind a value
    [BLOCK]                                     names of blocks, sub-blocks and keys: upper and lower case are alike
    KEY = 12.5                                  a number in C or Fortran notation, or 'text' in quotes
    KEY <unit> = 12.5                           with a unit tag of the [UNITS] block
    {column <unit>  column                      a table header, over several lines if need be
     column}
    1.0 2.0 3.0                                 rows; a row may be wrapped over several lines
    (SUB_BLOCK)                                 the same inside a block, until the next ( ) or [ ]

A file is kept as it was written: what is not changed is written back to the letter, comments, order, unknown blocks,
line ends and encoding included; a changed value replaces only its own characters. Of blocks or keys that come twice the
last one counts, with a warning. What cannot be read is an error with its line, except in blocks that the reader of a
format does not know: those are kept as they are.

The meaning of blocks and keys belongs to the readers of the formats (``tir`` and those to come), units to
``file_units``.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jounce.core.errors import FormatError, did_you_mean
from jounce.core.limits import Limits, read_bytes
from jounce.core.limits import shown as named
from jounce.core.writing import write_atomically
from jounce.files.problems import Report

Value = float | str

# nodes: blocks, sub-blocks, keys and tables together, or remarks about them; rows of tables are not counted
LIMITS = Limits("a property file", size=200_000_000, nodes=20_000)

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")  # a line with its end
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?", re.ASCII)
_REMARK = ("!", "#", ";", "//")  # what people put behind a value, though $ is the sign for it
_QUOTES = ("'", '"')
_BLOCK = re.compile(r"\s*\[([^\[\]]*)\]\s*")
_SUB_BLOCK = re.compile(r"\s*\(([^()]*)\)\s*")
_ATTRIBUTE = re.compile(r"\s*([^\s=<>\[\](){}']+)\s*(?:<([^<>]*)>)?\s*=[ \t]*")
_WORD = re.compile(r"'[^']*'|[^\s']+")
_PLAIN_ROW = re.compile(r"[0-9.eE+\- \t]+[\r\n]*", re.ASCII)  # numbers only: tables have many such lines
_COLUMN = re.compile(r"<[^<>]*>|[^\s<>]+")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_FOUND = 60  # characters of a line that a message shows


@dataclass
class Node:
    """Lines of a file that belong together; ``source`` holds them with their line ends."""

    line: int
    source: list[str]


@dataclass
class Attribute(Node):
    """``KEY <unit> = value``."""

    key: str
    value: Value
    unit: str | None = None
    before: str = ""  # text of the line in front of the value
    after: str = ""  # text behind it, with comment and line end
    blank: bool = False  # nothing stands behind the =

    def change(self, value: Value) -> None:
        """Replace the value, and nothing else of the line."""
        self.value, self.blank = value, False
        self.source = [self.before + format_value(value) + self.after]


@dataclass(frozen=True)
class Column:
    """A column of a table header."""

    name: str
    unit: str | None = None


@dataclass
class Header(Node):
    """``{col1 col2}``."""

    columns: list[Column]


@dataclass
class Row(Node):
    """Values of one physical line."""

    values: list[Value]


@dataclass
class Table:
    """A header and the rows below it."""

    header: Header
    lines: list[Row] = field(default_factory=list)
    rows: list[list[Value]] = field(default_factory=list)  # logical rows

    @property
    def columns(self) -> list[Column]:
        return self.header.columns

    @property
    def line(self) -> int:
        return self.header.line


class Section:
    """A block or a sub-block: attributes, tables, comments, in the order of the file."""

    def __init__(self, name: str, header: Node, newline: str) -> None:
        self.name = name
        self.header = header
        self.nodes: list[Node] = []
        self._newline = newline
        self._by_key: dict[str, Attribute] = {}
        self.tables: list[Table] = []

    @property
    def line(self) -> int:
        return self.header.line

    @property
    def attributes(self) -> list[Attribute]:
        """All attributes; of a repeated key the last."""
        return list(self._by_key.values())

    @property
    def table(self) -> Table | None:
        """The table, the last one if there are several."""
        return self.tables[-1] if self.tables else None

    def get(self, key: str) -> Attribute | None:
        return self._by_key.get(key.upper())

    def __contains__(self, key: str) -> bool:
        return key.upper() in self._by_key

    # -- changing -----------------------------------------------------------------------------------------
    def set(self, key: str, value: Value, *, unit: str | None = None, comment: str = "", width: int = 0) -> Attribute:
        """Change the value of a key, or add the key behind the others."""
        check_value(key, value, quotes=True)
        found = self.get(key)
        if found is not None:
            found.change(value)
            return found
        tag = f" <{unit}>" if unit else ""
        before = f"{key + tag:<{width}} = "
        after = (f"   $ {one_line(comment)}" if comment else "") + self._newline
        node = Attribute(0, [before + format_value(value) + after], key, value, unit, before, after)
        if _ATTRIBUTE.fullmatch(before) is None:
            raise FormatError(f"key {key!r}: cannot be written; use letters, digits and underscores")
        last = max((i for i, n in enumerate(self.nodes) if isinstance(n, Attribute)), default=-1)
        self.nodes.insert(last + 1, node)
        self._by_key[key.upper()] = node
        return node

    def rename(self, key: str, new: str) -> None:
        """Give a key another name, and leave its value, unit and comment as they are."""
        found = self._by_key.pop(key.upper())
        tag = f" <{found.unit}>" if found.unit else ""
        found.key, found.before = new, f"{new}{tag} = "
        found.change(found.value)
        self._by_key[new.upper()] = found

    def add_comment(self, text: str) -> None:
        for line in text.splitlines() or [""]:
            self.nodes.append(Node(0, [f"$ {line}".rstrip() + self._newline]))

    def add_blank(self) -> None:
        self.nodes.append(Node(0, [self._newline]))

    def add_table(self, columns: Sequence[str | Column], rows: Iterable[Sequence[Value]]) -> Table:
        """Append a table."""
        chosen = [Column(c) if isinstance(c, str) else c for c in columns]
        names = [c.name + (f" <{c.unit}>" if c.unit else "") for c in chosen]
        table = Table(Header(0, ["{" + " ".join(names) + "}" + self._newline], chosen))
        self.nodes.append(table.header)
        for values in rows:
            for value in values:
                check_value(f"table {{{' '.join(names)}}}", value)
            row = Row(0, [" ".join(format_value(v) for v in values) + self._newline], list(values))
            table.lines.append(row)
            table.rows.append(list(values))
            self.nodes.append(row)
        self.tables.append(table)
        return table

    def own_text(self) -> str:
        return "".join(part for node in (self.header, *self.nodes) for part in node.source)

    # -- used by the parser -------------------------------------------------------------------------------
    def take(self, attribute: Attribute) -> Attribute | None:
        """Enter an attribute; returns the one of the same key that it replaces."""
        before = self._by_key.pop(attribute.key.upper(), None)
        self._by_key[attribute.key.upper()] = attribute
        self.nodes.append(attribute)
        return before


class Block(Section):
    """A block with its sub-blocks."""

    def __init__(self, name: str, header: Node, newline: str) -> None:
        super().__init__(name, header, newline)
        self.sub_blocks: list[Section] = []

    def sub_block(self, name: str) -> Section | None:
        """The last sub-block of that name."""
        return next((s for s in reversed(self.sub_blocks) if s.name.upper() == name.upper()), None)

    def add_sub_block(self, name: str) -> Section:
        section = Section(name, Node(0, [f"({name}){self._newline}"]), self._newline)
        self.sub_blocks.append(section)
        return section

    def text(self) -> str:
        return self.own_text() + "".join(s.own_text() for s in self.sub_blocks)


class PropertyFile:
    """A property file as blocks; ``text()`` gives back what was read, with the changes made since.

    Parameters
    ----------
    path : the file's name, for messages and for references to other files
    newline : end of lines that are added
    """

    def __init__(self, path: str = "", newline: str = "\n") -> None:
        self.path = path
        self.newline = newline
        self.encoding = Encoding()
        self.preamble: list[Node] = []
        self.blocks: list[Block] = []
        self.report = Report(path or "(text)")

    # -- reading ------------------------------------------------------------------------------------------
    @classmethod
    def read(
        cls, path: str | Path, known: Collection[str] | None = None, *, blanks: Literal["error", "missing"] = "error"
    ) -> PropertyFile:
        """Read a file.

        Parameters
        ----------
        path : of the file
        known : names of the blocks that the format defines; others are kept without being understood. All, by default.
        blanks : whether a key without a value is an error or counts as missing, with a note
        """
        text, encoding = decoded(read_bytes(path, LIMITS), named(path))
        file = cls.parse(text, str(path), known, blanks=blanks)
        file.encoding = encoding
        return file

    @classmethod
    def programme(cls, text: str, path: str = "", *, strict: bool = False) -> PropertyFile:
        """Read the text of a driver's programme, whose blocks refer to each other by name.

        Names of blocks are told apart by letter case, and a row of a table is a line of the file, so that a reader can
        say which of its values are missing. ``strict``: what comes twice is an error.
        """
        newline = next((end for end in ("\r\n", "\n", "\r") if end in text), "\n")
        file = cls(path, newline)
        parser = _Parser(file, None, "error")
        parser.exact_names, parser.wrapped, parser.strict = True, False, strict
        parser.run(text)
        file.report.raise_if_errors()
        return file

    @classmethod
    def parse(
        cls,
        text: str,
        path: str = "",
        known: Collection[str] | None = None,
        *,
        blanks: Literal["error", "missing"] = "error",
    ) -> PropertyFile:
        """Read a text; raises a FormatError that lists everything that cannot be read."""
        newline = next((end for end in ("\r\n", "\n", "\r") if end in text), "\n")
        file = cls(path, newline)
        _Parser(file, known, blanks).run(text)
        file.report.raise_if_errors()
        return file

    # -- asking -------------------------------------------------------------------------------------------
    def block(self, *names: str) -> Block | None:
        """The last block with one of the names."""
        wanted = {name.upper() for name in names}
        return next((b for b in reversed(self.blocks) if b.name.upper() in wanted), None)

    def named(self, name: str) -> Block | None:
        """The last block of exactly that name."""
        return next((b for b in reversed(self.blocks) if b.name == name), None)

    def need(self, *names: str) -> Block:
        """The same, or an error that names what is there."""
        found = self.block(*names)
        if found is None:
            hint = did_you_mean(names[0], [b.name for b in self.blocks])
            raise FormatError(f"{self.report.path}: block [{names[0]}] is missing{hint}")
        return found

    # -- changing and writing -----------------------------------------------------------------------------
    def add_block(self, name: str) -> Block:
        block = Block(name, Node(0, [f"[{name}]{self.newline}"]), self.newline)
        self.blocks.append(block)
        return block

    def add_comment(self, text: str) -> None:
        """A comment before the first block."""
        for line in text.splitlines():
            self.preamble.append(Node(0, [f"$ {line}".rstrip() + self.newline]))

    def text(self) -> str:
        head = "".join(part for node in self.preamble for part in node.source)
        return head + "".join(b.text() for b in self.blocks)

    def write(self, path: str | Path) -> None:
        """Write the file in one go; line ends and encoding are those of the file that was read."""
        try:
            raw = self.encoding.mark + self.text().encode(self.encoding.codec)
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            raise FormatError(
                f"{path}: {letter!r} cannot be written in the encoding of the file, {self.encoding.codec}"
            ) from None
        write_atomically(path, raw)


class _Parser:
    """Goes through the lines once."""

    def __init__(self, file: PropertyFile, known: Collection[str] | None, blanks: str) -> None:
        self.file = file
        self.blanks = blanks
        self.report = file.report
        self.known = None if known is None else {name.upper() for name in known}
        self.block: Block | None = None
        self.section: Section | None = None
        self.table: Table | None = None
        self.waiting: list[Value] = []  # values of a row that is not complete
        self.waiting_line = 0
        self.things = 0  # blocks, sub-blocks, keys and tables
        self.exact_names = False  # names of blocks are told apart by letter case
        self.wrapped = True  # a row may go on in the next line
        self.strict = False  # what comes again is an error
        self.first_lines: dict[tuple[str, str], int] = {}  # (block, sub-block) -> line, by which repetitions are found

    def run(self, text: str) -> None:
        ended = _LINE.findall(text)
        i = 0
        while i < len(ended):
            i = self._line(ended, i)
            if max(self.things, len(self.report.problems)) > LIMITS.nodes:
                raise FormatError(
                    f"{named(self.file.path)}, line {i}: more than {LIMITS.nodes} blocks, keys and remarks so far; "
                    f"{LIMITS.what} has less"
                )
        self._finish_row()

    def _problem(self, line: int, key: str, message: str) -> None:
        """An error, or a note when it is in a block that nobody here knows."""
        if self.known is not None and self.block is not None and self.block.name.upper() not in self.known:
            self.report.info(line, key, f"{message} (kept as it is: the block is not known)")
        else:
            self.report.error(line, key, message)

    @property
    def _where(self) -> str:
        if self.block is None or self.section is None:
            return ""
        inside = "" if self.section is self.block else f" ({self.section.name})"
        return f"[{self.block.name}]{inside}"

    def _line(self, lines: list[str], i: int) -> int:
        """Take the line i (and those that continue it); returns the next one."""
        raw, number = lines[i], i + 1
        if self.table is not None and _PLAIN_ROW.fullmatch(raw) and self._plain_row(raw, number):
            return i + 1
        content = without_comment(raw)
        words = content.strip()
        if not words:
            self._keep(Node(number, [raw]))
            return i + 1
        match = _BLOCK.fullmatch(content)
        if match:
            self._open_block(match[1].strip(), Node(number, [raw]))
            return i + 1
        if self.block is None:
            self.report.error(number, "", f"found {shown(words)} before the first block; expected a [BLOCK] line")
            self._keep(Node(number, [raw]))
            return i + 1
        match = _SUB_BLOCK.fullmatch(content)
        if match:
            self._open_sub_block(match[1].strip(), Node(number, [raw]))
            return i + 1
        if words.startswith("{"):
            return self._open_table(lines, i)
        attribute = _ATTRIBUTE.match(content)
        if attribute:
            self._attribute(raw, content, attribute, number)
        else:
            self._row(raw, words, number)
        return i + 1

    def _keep(self, node: Node) -> None:
        (self.file.preamble if self.section is None else self.section.nodes).append(node)

    def _open_block(self, name: str, node: Node) -> None:
        self._finish_row()
        self.things += 1
        if not name:
            self.report.error(node.line, "", "found a block without a name; expected [NAME]")
        self._note_repetition(node.line, name, "")
        self.block = Block(name, node, self.file.newline)
        self.section, self.table = self.block, None
        self.file.blocks.append(self.block)

    def _open_sub_block(self, name: str, node: Node) -> None:
        self._finish_row()
        self.things += 1
        assert self.block is not None
        self._note_repetition(node.line, self.block.name, name)
        self.section, self.table = Section(name, node, self.file.newline), None
        self.block.sub_blocks.append(self.section)

    def _note_repetition(self, line: int, block: str, sub_block: str) -> None:
        # a block that comes again starts with no sub-blocks
        told_by = block if self.exact_names else block.upper()
        place = (told_by, f"{self.block.line}.{sub_block.upper()}" if sub_block and self.block else "")
        first = self.first_lines.setdefault(place, line)
        if first != line:
            name = f"[{block}] ({sub_block})" if sub_block else f"[{block}]"
            self._repeated(line, name, f"comes again (first in line {first})")

    def _repeated(self, line: int, key: str, message: str) -> None:
        if self.strict:
            self.report.error(line, key, f"{message}; once is allowed")
        else:
            self.report.warning(line, key, f"{message}; the last one counts")

    def _open_table(self, lines: list[str], i: int) -> int:
        """A header up to its closing brace; where that is missing, up to what cannot be a column name."""
        self._finish_row()
        self.things += 1
        assert self.section is not None
        first, source, words = i + 1, [lines[i]], without_comment(lines[i]).strip()[1:]
        closed = "}" in words
        i += 1
        while not closed and i < len(lines):
            content = without_comment(lines[i]).strip()
            token = _WORD.match(content)
            starts_row = token is not None and (token[0].startswith("'") or NUMBER.fullmatch(token[0]) is not None)
            if starts_row or content.startswith(("[", "(", "{")) or _ATTRIBUTE.match(content):
                break
            source.append(lines[i])
            words += " " + content
            closed = "}" in content
            i += 1
        names, _, rest = words.partition("}")
        if not closed:
            self.report.warning(first, self._where, "the closing } of the table header is missing")
        if rest.strip():
            self._problem(first, self._where, f"found {shown(rest.strip())} behind the table header; expected nothing")
        columns: list[Column] = []
        for token_match in _COLUMN.finditer(names):
            word = token_match[0]
            if word.startswith("<"):
                if not columns or columns[-1].unit is not None:
                    self._problem(first, self._where, f"the unit {word} does not follow a column name")
                else:
                    columns[-1] = Column(columns[-1].name, word[1:-1].strip())
            else:
                columns.append(Column(word))
        if not columns:
            self._problem(first, self._where, "the table header names no columns")
        self.table = Table(Header(first, source, columns))
        self.section.tables.append(self.table)
        self.section.nodes.append(self.table.header)
        return i

    def _attribute(self, raw: str, content: str, match: re.Match[str], number: int) -> None:
        self._finish_row()
        self.things += 1
        assert self.section is not None
        key, unit = match[1], match[2]
        text = content[match.end() :].rstrip()
        place = f"{self._where} {key}"
        text, value, problem = read_value(text)
        blank = not text
        if blank and self.blanks == "missing":
            self.report.info(number, place, "has no value; counts as missing")
        elif problem:
            self._problem(number, place, problem)
        elif isinstance(value, str) and not text.startswith(_QUOTES):
            self.report.info(number, place, f"{shown(text)} is read as text; write it in single quotes")
        start = match.end()
        attribute = Attribute(
            number,
            [raw],
            key,
            value,
            None if unit is None else unit.strip(),
            raw[:start],
            raw[start + len(text) :],
            blank,
        )
        before = self.section.take(attribute)
        if before is not None:
            self._repeated(number, place, f"the key comes again (first in line {before.line})")

    def _plain_row(self, raw: str, number: int) -> bool:
        """The short way for lines of numbers; whatever is odd about them is left to the long one."""
        try:
            values: list[Value] = [float(word) for word in raw.split()]
        except ValueError:
            return False
        if not values or math.inf in values or -math.inf in values:
            return False
        self._take_row(Row(number, [raw], values))
        return True

    def _row(self, raw: str, words: str, number: int) -> None:
        assert self.section is not None
        if self.table is None:
            self._problem(
                number,
                self._where,
                f"found {shown(words)}; expected KEY = value, [BLOCK], (SUB_BLOCK) or a {{table header}} before rows",
            )
            self._keep(Node(number, [raw]))
            return
        values: list[Value] = []
        for token in _WORD.finditer(words):
            word = token[0]
            if NUMBER.fullmatch(word):
                values.append(to_number(word))
                if math.isinf(to_number(word)):
                    self._problem(number, self._where, f"found {shown(word)}; too large for a floating-point number")
            else:
                values.append(word[1:-1] if word.startswith("'") else word)
        if words.count("'") % 2:
            self._problem(number, self._where, f"found {shown(words)}; a single quote is missing")
        self._take_row(Row(number, [raw], values))

    def _take_row(self, row: Row) -> None:
        """Add a physical line to the table and to its logical rows."""
        assert self.table is not None
        self.table.lines.append(row)
        self._keep(row)
        wanted = len(self.table.columns)
        if (len(row.values) == wanted and not self.waiting) or not self.wrapped or self._open_ended():
            self.table.rows.append(row.values)
            return
        if not self.waiting:
            self.waiting_line = row.line
        self.waiting += row.values
        if len(self.waiting) > wanted:
            self._problem(
                self.waiting_line,
                self._where,
                f"found {len(self.waiting)} values in a row; the table header has {wanted} columns",
            )
            self.waiting = []
        elif len(self.waiting) == wanted:
            self.table.rows.append(self.waiting)
            self.waiting = []

    def _open_ended(self) -> bool:
        """A family of curves: as many columns as another sub-block has values, so that a line is a row."""
        assert self.table is not None and self.section is not None
        return any("@" in c.name for c in self.table.columns) or self.section.name.upper() == "XY_DATA"

    def _finish_row(self) -> None:
        if self.waiting:
            assert self.table is not None
            self._problem(
                self.waiting_line,
                self._where,
                f"found {len(self.waiting)} values in the last row; the table header has {len(self.table.columns)} "
                "columns",
            )
        self.waiting = []


# --- values ----------------------------------------------------------------------------------------------------------


def without_comment(line: str) -> str:
    """A line without its comment and its line end."""
    line = line.rstrip("\r\n")
    if line.lstrip().startswith("!"):
        return ""
    quoted = False
    for i, letter in enumerate(line):
        if letter == "'":
            quoted = not quoted
        elif letter == "$" and not quoted:
            return line[:i]
    # a quote that never closes must not hide a comment
    return line.split("$", 1)[0] if quoted else line


def to_number(word: str) -> float:
    """A number in C or Fortran notation (1.5D+3)."""
    return float(word.replace("d", "e").replace("D", "e"))


def read_value(text: str) -> tuple[str, Value, str]:
    """What stands behind the = of an attribute: its characters, its value, and what is wrong with it in words.

    A remark behind the value without the sign $ is left out of the characters.
    """
    if not text:
        return text, "", "the value is missing; expected a number or 'text'"
    if text.startswith(_QUOTES):
        end = text.find(text[0], 1)
        if end < 0 or (text[end + 1 :].strip() and not text[end + 1 :].lstrip().startswith(_REMARK)):
            return text, text.strip(text[0]), f"found {shown(text)}; expected one text between two single quotes"
        return text[: end + 1], text[1:end], ""
    found = NUMBER.match(text)
    if found is not None and (found.end() == len(text) or text[found.end() :].lstrip().startswith(_REMARK)):
        value = to_number(found[0])
        wrong = f"found {shown(found[0])}; too large for a floating-point number" if math.isinf(value) else ""
        return found[0], value, wrong
    if _DECIMAL_COMMA.fullmatch(text):
        return text, text, f"found {shown(text)}; write a decimal point: {text.replace(',', '.')}"
    return text, text, ""


def format_value(value: Value) -> str:
    """A number so that reading gives the same number, or text in quotes."""
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    number = float(value)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number)


def check_value(key: str, value: Value, quotes: bool = False) -> None:
    """Refuse what cannot be written so that it is read again; ``quotes``: double ones may stand around single ones."""
    if isinstance(value, str):
        single = "'" in value
        if any(letter in value for letter in "\r\n") or (single and (not quotes or any(c in value for c in '"$'))):
            raise FormatError(f"{key} = {value!r}: text must not hold quotes or line ends")
    elif not math.isfinite(value):
        raise FormatError(f"{key} = {value}: only finite numbers can be written")


def as_flag(value: Value) -> bool | None:
    """TRUE/FALSE, YES/NO, ON/OFF or 1/0 in any case; None for anything else."""
    word = format_value(value).strip("'").strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def shown(text: str) -> str:
    """Text for a message, shortened and without control characters."""
    return repr(text if len(text) <= _FOUND else text[:_FOUND] + "…")


def one_line(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Encoding:
    """How the letters of a file are stored: codec, and the mark at its beginning."""

    codec: str = "utf-8"
    mark: bytes = b""


_MARKS = (
    Encoding("utf-8", b"\xef\xbb\xbf"),
    Encoding("utf-16-le", b"\xff\xfe"),
    Encoding("utf-16-be", b"\xfe\xff"),
)


def decode(raw: bytes, path: str) -> str:
    """Text of a file."""
    return decoded(raw, path)[0]


def decoded(raw: bytes, path: str) -> tuple[str, Encoding]:
    """Text of a file and its encoding: UTF-8, UTF-16, else the letters of Western Europe, as old files have them."""
    for encoding in _MARKS:
        if raw.startswith(encoding.mark):
            try:
                return raw[len(encoding.mark) :].decode(encoding.codec), encoding
            except UnicodeDecodeError as error:
                raise FormatError(f"{path}: is marked as {encoding.codec}, but byte {error.start} is not") from None
    if b"\0" in raw:
        first, second = raw[0::2], raw[1::2]
        for codec, letters, zeros in (("utf-16-le", first, second), ("utf-16-be", second, first)):
            # without a mark: plain text has every second byte zero
            if b"\0" not in letters and len(raw) % 2 == 0 and zeros.count(0) > 0.9 * len(zeros):
                with contextlib.suppress(UnicodeDecodeError):
                    return raw.decode(codec), Encoding(codec)
        raise FormatError(f"{path}: holds zero bytes; this is no text file")
    for codec in ("utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(codec), Encoding(codec)
    return raw.decode("latin-1"), Encoding("latin-1")


# --- references to other files ---------------------------------------------------------------------------------------


def resolve(reference: str, origin: str | Path, databases: dict[str, Path] | None = None) -> Path:
    """The place of a file that another file names.

    Parameters
    ----------
    reference : a path, relative to the file that holds it, or ``mdids://alias/table.tbl/file``, with or without mdids://
    origin : the file that holds the reference
    databases : folders by alias; where they lack one, those of a file of aliases beside the file are asked
    """
    from jounce.files.databases import SUFFIX, aliases_beside

    text = reference.strip().replace("\\", "/")
    scheme = next((word for word in ("mdids://", "midids://") if text.lower().startswith(word)), "")
    is_alias = bool(scheme)
    parts = (text[len(scheme) :].lstrip("/") if is_alias else text).split("/")
    known = {name.lower(): folder for name, folder in (databases or {}).items()}
    if is_alias:
        name = parts[0].lower()
        parts[0] = name if name in known else name.removesuffix(SUFFIX)
        if parts[0] not in known:
            known = {alias.lower(): folder for alias, folder in aliases_beside(origin).items()} | known
    if is_alias or (len(parts) > 2 and parts[0].lower() in known):
        if parts[0].lower() not in known:
            raise FormatError(
                f"{origin}: reference {reference!r}: database {parts[0]!r} is unknown{did_you_mean(parts[0], known)}"
            )
        return known[parts[0].lower()].joinpath(*parts[1:])
    return Path(origin).parent / text
