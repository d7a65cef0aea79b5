"""Adapters of the clone, read without their runtimes: what they declare can be read, listed and relied on."""

from __future__ import annotations

import ast
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from onnx import numpy_helper

from plumbline.backends import adapter_names, environments, find_backend
from plumbline.backends.capabilities import undeclared
from plumbline.backends.declarations import adapter_file, declared_by, read_declared
from plumbline.backends.registry import EMBEDDED
from plumbline.backends.request import Request
from plumbline.oracle import load_spec, spec_names
from plumbline.trial import KnownDivergences
from plumbline.trial.known.register import FOLDER, read_known

NAMES = adapter_names()
CLASSES = [name for name in NAMES if adapter_file(name).suffix == ".py"]


def adapter_class(name: str) -> ast.ClassDef:
    """The class that the registry would start."""
    tree = ast.parse(adapter_file(name).read_text(encoding="utf-8"))
    wanted = read_declared(adapter_file(name)).class_name
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == wanted)


def attributes(node: ast.ClassDef) -> dict[str, ast.expr]:
    """What the body of a class assigns."""
    return {line.targets[0].id: line.value for line in node.body
            if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_to_be_downloaded_is_said_with_its_size(name: str, tmp_path: Path,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it is not there; ONNX Runtime itself is in the suite's own environment."""
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    said = find_backend(name).download
    if name == EMBEDDED:
        assert said == ""
        said = find_backend(f"{name}==1.30").download
    assert re.fullmatch(r"(npm:)?[\w.=, \[\]-]+, [\d,]+ MB on disk with all that it needs", said)


def test_there_are_adapters() -> None:
    """The tests below have something to look at."""
    assert {"onnxruntime", "onnx-reference", "openvino", "torch"} <= set(NAMES)


@pytest.mark.parametrize("name", CLASSES)
def test_an_adapter_says_what_it_is(name: str) -> None:
    """Its file and class have a docstring, and the class calls itself what its file is called."""
    assert ast.get_docstring(ast.parse(adapter_file(name).read_text(encoding="utf-8")))
    node = adapter_class(name)
    assert ast.get_docstring(node)
    assert ast.literal_eval(attributes(node)["name"]) == name


@pytest.mark.parametrize("name", NAMES)
def test_an_adapter_names_its_packages_and_what_it_can_be_asked(name: str) -> None:
    """The first requirement takes a version of its own, every pattern matches a specification, and every operator of an
    entry belongs to one; an entry that covers nothing would declare nothing."""
    found = declared_by(name)
    assert found.requirements and "==" not in found.requirements[0]
    for pattern in found.specifications:
        assert any(fnmatch(spec, pattern) for spec in spec_names()), pattern
    for entry in found.capabilities or ():
        assert entry.operators and set(entry.operators) <= {load_spec(spec).operator for spec in spec_names()}
        assert entry.dtypes != [] and entry.ranks != [] and entry.outputs != []


@pytest.mark.parametrize(("dtype", "takes"), [(object, False), (np.float32, True), (ml_dtypes.bfloat16, True)])
@pytest.mark.parametrize("operator", ["Concat", "Flatten", "Reshape", "Unsqueeze", "Where"])
def test_jax_declares_no_strings(operator: str, dtype: type, takes: bool) -> None:
    """Its arrays have none, so that their refusal is no valid call refused."""
    asked = Request(b"", operator, {}, 13, {"X": np.zeros(1).astype(dtype)}, ("Y",))
    assert (undeclared(declared_by("jax").capabilities, "0.10.2", asked) is None) == takes


@pytest.mark.parametrize("name", CLASSES)
def test_an_adapter_has_version_and_run(name: str) -> None:
    """By itself, or from the adapter that it is a variant of."""
    node = adapter_class(name)
    methods = {line.name for line in node.body if isinstance(line, ast.FunctionDef)}
    assert {"version", "run"} <= methods or node.bases


CONFIGURATIONS = [f"onnxruntime@{name}" for name in declared_by("onnxruntime").configurations]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_known_divergences_can_be_read_and_are_of_an_adapter(path: Path) -> None:
    """Specifications, clauses, flags and symptoms exist, a version was tried, and no two entries share a name.

    That of a configuration may be what is known of the runtime itself, tried or not; that of a provider, or of a
    backend in a browser, which a matrix leaves out, a beginning."""
    file = read_known(path)
    if file.backend in CONFIGURATIONS:
        assert find_backend(file.backend).adapter == path.stem and file.like == "onnxruntime"
    elif "@" in file.backend:
        assert find_backend(file.backend).adapter == path.stem and KnownDivergences.of_all_versions(path.stem).entries
    else:
        assert path.stem in NAMES and file.backend == path.stem
        assert file.tried or declared_by(path.stem).in_browser
    for version in file.tried:
        known = KnownDivergences.load(path.stem, version)
        assert known.tried and known.entries
        assert len({entry.id for entry in known.entries}) == len(known.entries)


@pytest.mark.parametrize(("name", "bits"), [("bfloat16", 16), ("float8_e4m3fn", 8), ("float8_e8m0fnu", 8), ("uint4", 4),
                                            ("int4", 4), ("float4_e2m1fn", 4), ("uint2", 2), ("int2", 2)])
def test_elements_of_types_that_numpy_lacks_are_unpacked(name: str, bits: int) -> None:
    """From the bytes in which ONNX packs them, an odd number of them too."""
    unpacked = runpy.run_path(str(adapter_file(EMBEDDED).with_name("_packed.py")))["unpacked"]
    elements = np.array([[1, 0.5, 2], [1, 1, 1.5]]).astype(getattr(ml_dtypes, name))
    if not name.startswith("u") and name != "float8_e8m0fnu":
        elements[0, 1] = -1
    for array in (elements, elements[:1]):
        packed = numpy_helper.from_array(array).raw_data
        np.testing.assert_array_equal(unpacked(packed, name, bits, array.shape).astype(float), array.astype(float))
