"""The programs of docs/python.md."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


def test_the_programs_of_the_page_run(tmp_path, monkeypatch):
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    scope = {"numpy": numpy}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), scope)
    assert scope["run"].outputs == [499500.0 * 16] * 16
    assert (tmp_path / "run.html").exists()
