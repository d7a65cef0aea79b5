"""Options that mean the same have one name in all commands; earlier names are aliases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from onnx import TensorProto, helper, save

from plumbline.commands.main import commands
from tests.suite import small_records as small
from tests.suite.commands import plumbline, report


def options(command: click.Command, name: str) -> Iterator[tuple[str, list[str]]]:
    """The names of each option of a command and of those in it, with the command."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from options(inner, f"{name} {word}")
    for option in command.params:
        if isinstance(option, click.Option):
            yield name, list(option.opts)


def test_a_place_for_results_is_output() -> None:
    """`--out` is no more than another name of it."""
    found = [(name, names) for name, names in options(commands, "plumbline") if "--out" in names]
    assert found and all(names[0] == "--output" for _, names in found)


def test_a_command_with_two_formats_takes_json_alike() -> None:
    """`--json` in each."""
    named = dict.fromkeys(name for name, names in options(commands, "plumbline") if "--json" in names)
    assert set(named) == {"plumbline check", "plumbline census", "plumbline model"}


@pytest.mark.parametrize("option", ["--output", "--out"])
def test_tables_go_to_either(option: str, tmp_path: Path) -> None:
    """The same files."""
    record = small.write(tmp_path / "record.jsonl", small.header("toy", "1"), [small.line("plain", "conforms")])
    assert report(["tables", str(record), option, str(tmp_path / "tables")]) == 0
    assert (tmp_path / "tables" / "clauses.csv").exists()
    assert report(["badge", str(record), option, str(tmp_path / "badge")]) == 0
    assert list((tmp_path / "badge").iterdir())


def test_a_trial_of_a_model_prints_json_for_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` is `--format json`."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "r")], "g", [x], [y])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    printed = []
    for words in (["--json"], ["--format", "json"]):
        assert plumbline(["model", str(tmp_path / "m.onnx"), "--report-dir", str(tmp_path / "out"), *words]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0].keys() == printed[1].keys()


def test_accuracy_names_all_values_as_a_campaign_does(capsys: pytest.CaptureFixture[str]) -> None:
    """`--every float32` is `--every-float32`."""
    told = []
    for words in (["--every", "float32"], ["--every-float32"]):
        assert plumbline(["accuracy", "Pow", *words]) == 2
        told.append(capsys.readouterr().err)
    assert told[0] == told[1] != ""
