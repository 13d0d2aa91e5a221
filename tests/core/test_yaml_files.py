"""YAML files that hold something else than what is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.core.errors import FormatError
from jounce.core.yaml_files import explained, read_mapping, read_mappings


def test_a_mapping_is_a_mapping_and_a_list_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("")
    assert read_mapping(path, "a map") == {} and read_mappings(path, "a list") == []
    path.write_text("a: 1\n")
    assert read_mapping(path, "a map is 'key: value'") == {"a": 1}
    with pytest.raises(FormatError, match=r"a\.yaml: a list is '- key: value'"):
        read_mappings(path, "a list is '- key: value'")
    path.write_text("- a: 1\n- 2\n")
    with pytest.raises(FormatError, match=r"a\.yaml: a list is '- key: value'"):
        read_mappings(path, "a list is '- key: value'")
    with pytest.raises(FormatError, match=r"a\.yaml: a map is 'key: value'"):
        read_mapping(path, "a map is 'key: value'")


def test_what_is_no_matter_of_the_text_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        explained(KeyboardInterrupt())  # type: ignore[arg-type]
    assert explained(RecursionError()) == (0, "no YAML for us: nested too deeply")
