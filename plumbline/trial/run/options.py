"""Define and read the options of a conformance run.

They serve pytest, `plumbline conformance` and `[tool.plumbline]`.

In `pyproject.toml` an option has the name that it has on the command line, and `--spec` is `specs`; paths are relative
to that file. The command line wins.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_origin

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, field_validator

from plumbline.backends import MEMORY_LIMIT
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.editions import VARIABLE as EDITION
from plumbline.oracle.files import read_text
from plumbline.oracle.foreign_code import VARIABLE as CODE_LIMIT
from plumbline.oracle.specification import profile_named
from plumbline.trial.editions.wheels import known_releases

PATHS = ("python", "cases", "known", "capabilities", "report_dir")
"""The options that are paths."""

Above = Annotated[int, Field(gt=0, le=2**31)]
Seconds = Annotated[FiniteFloat, Field(gt=0, le=86400)]


WIDEST = 4
"""Digits of the width of a terminal."""


class OptionError(ValueError):
    """An option that cannot be used; the text is one line."""


def _option(default: Any, metavar: str, text: str) -> Any:
    return Field(default=default, description=text, json_schema_extra={"metavar": metavar})


class RunOptions(BaseModel):
    """The options of a conformance run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    backend: tuple[str, ...] = _option(
        ("onnxruntime",), "NAME[==VERSION]|MODULE[:CLASS]|exec:COMMAND|stdio:COMMAND",
        "implementation under test (repeatable); default onnxruntime. A MODULE alone follows "
        "onnx.backend.base.Backend; the COMMAND of exec: holds {model}, {inputs} and {outputs}; that of stdio: is "
        "started once and takes calls on its standard input (docs/protocol.md)")
    python: Path | None = _option(None, "PATH", "interpreter of the environment that a MODULE[:CLASS] lives in")
    provider: str | None = _option(None, "NAME[:OPTION=VALUE,...]", "execution provider of the backend, or one of its "
                                   "configurations: the same as --backend NAME@PROVIDER")
    backend_name: str | None = _option(None, "TEXT", "name of a backend that does not say its own, such as exec:")
    backend_version: str | None = _option(None, "TEXT", "version of a backend that does not say its own")
    capabilities: Path | None = _option(None, "FILE", "JSON or YAML list of what the backend can do; the refusal of "
                                        "anything else is `unsupported`")
    spec: tuple[str, ...] = _option(
        ("*",), "GLOB", "specifications to try, such as 'sonnx/*' (repeatable); default all")
    cases: tuple[Path, ...] = _option(
        (), "PATH", "files or folders of cases to try instead of the suite's (repeatable)")
    generated: Annotated[int, Field(ge=0, le=10**6)] | None = _option(
        None, "COUNT", "generated cases for each specification; default 64, of a version that a later one replaces 16, "
        "and none with --cases")
    seed: Annotated[int, Field(ge=0, lt=2**64)] = _option(0, "N", "seed of the generated cases; default 0")
    all_versions: bool = _option(
        False, "", "every version of every operator; by default the newest, and one in four of the older ones, by the "
        "seed, unless the operator is named, as in --spec onnx/relu")
    context: tuple[str, ...] = _option(
        (), "NAME", "contexts in which a share of the calls runs too (repeatable; 'none' for none); default those "
        "that the backend declares, and none with --cases")
    known: tuple[Path, ...] = _option((), "FILE", "known divergences of the backend (repeatable); expected to fail, "
                                      "and an error once they no longer do")
    time_limit: Seconds = _option(20.0, "SECONDS", "for one call; default 20")
    memory_limit: Above = _option(
        MEMORY_LIMIT, "MIB", "of memory that a backend and all that it starts may have resident beyond what it has "
        f"when it is ready (on Linux); default {MEMORY_LIMIT}")
    workers: Annotated[int, Field(gt=0, le=1024)] | None = _option(
        None, "N", "processes that run and judge calls at once, each with its own backend (on Linux; elsewhere one); "
        "default one for each processor")
    no_cache: bool = _option(False, "", "compute cases and expected outputs anew, and keep none of them on disk; "
                             "PLUMBLINE_CACHE names the folder of the cache")
    report_dir: Path = _option(Path("reports/out"), "DIR", "where record and page go; default reports/out here")
    edition: str | None = _option(None, "RELEASE", "judge by that published edition of ONNX alone, such as 1.16.2; "
                                  "default: what any of them allows is observed where they disagree")

    accuracy: str | None = _option(None, "NAME", "judge errors by that accuracy profile, such as opencl-full or "
                                   "correctly-rounded (plumbline list 'accuracy/*'); default declared: by what the "
                                   "backend declares")

    @property
    def backends(self) -> tuple[str, ...]:
        """The names of backends, each with the provider."""
        return tuple(f"{name}@{self.provider}" if self.provider else name for name in dict.fromkeys(self.backend))

    @field_validator("edition")
    @classmethod
    def _is_release(cls, edition: str | None) -> str | None:
        if edition is not None and edition not in known_releases():
            raise ValueError(f"no release of onnx that the suite knows; the last are "
                             f"{', '.join(known_releases()[-4:])}")
        return edition

    @field_validator("accuracy")
    @classmethod
    def _is_profile(cls, accuracy: str | None) -> str | None:
        return None if accuracy is None else profile_named(accuracy).name.partition("/")[2]


def check_variables() -> None:
    """Raise OptionError for a variable of the environment that says nothing of use; pytest fails on some widths."""
    if len(os.environ.get("COLUMNS", "")) > WIDEST:
        del os.environ["COLUMNS"]
    edition, limit = os.environ.get(EDITION), os.environ.get(CODE_LIMIT)
    if edition and edition not in known_releases():
        raise OptionError(f"{EDITION} {edition}: no release of onnx that the suite knows; the last are "
                          f"{', '.join(known_releases()[-4:])}")
    if limit and not re.fullmatch("[0-9]{0,8}[1-9][0-9]{0,8}", limit):
        raise OptionError(f"{CODE_LIMIT} {limit}: give whole seconds above 0")


def flag(name: str) -> str:
    """Return the option of a field, such as ``--time-limit`` of ``time_limit``."""
    return f"--{name.replace('_', '-')}"


def is_repeatable(name: str) -> bool:
    """Return True if an option may be given several times."""
    return get_origin(RunOptions.model_fields[name].annotation) is tuple


def is_switch(name: str) -> bool:
    """Return whether an option takes no value."""
    return RunOptions.model_fields[name].annotation is bool


def metavar(name: str) -> str:
    """Return the word for the value of an option in help texts."""
    extra = RunOptions.model_fields[name].json_schema_extra
    return str(extra["metavar"]) if isinstance(extra, dict) else ""


NO_NUMBER = {"int_parsing": "not a whole number", "int_type": "not a whole number",
             "int_from_float": "not a whole number", "float_parsing": "not a number", "float_type": "not a number"}
"""Messages of Pydantic that are not about options, by type, with ours."""


def read_options(given: Mapping[str, Any], folder: Path) -> RunOptions:
    """Options from the command line (None or empty where not given) over those in the pyproject.toml of `folder` or of
    the nearest folder above that has one. Raises OptionError."""
    chosen = {name: value for name, value in given.items() if value is not None and value != () and value != []}
    try:
        return RunOptions.model_validate({**_configured(folder), **chosen})
    except ValidationError as error:
        first = error.errors()[0]
        why = NO_NUMBER.get(first["type"], first["msg"].removeprefix("Value error, "))
        raise OptionError(f"{flag(str(first['loc'][0]))} {first['input']}: {why}") from None


def _configured(folder: Path) -> dict[str, Any]:
    """Return the table [tool.plumbline] by field of `RunOptions`.

    It is read from the pyproject.toml of `folder`, or of the nearest folder above it that has one; {} without one.
    Raises OptionError."""
    path = next((place / "pyproject.toml" for place in (folder, *folder.parents)
                 if (place / "pyproject.toml").is_file()), None)
    if path is None:
        return {}
    try:
        tools = tomllib.loads(read_text(path)).get("tool", {})
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from None
    except (RecursionError, ValueError) as error:
        raise OptionError(f"{path}: {'nested too deeply' if isinstance(error, RecursionError) else error}") from None
    table = tools.get("plumbline", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise OptionError(f"{path}: [tool.plumbline] is not a table")
    names = {flag(name)[2:]: name for name in RunOptions.model_fields}
    names["specs"] = names.pop("spec")
    unknown = sorted(set(table) - set(names))
    if unknown:
        raise OptionError(f"{path}: [tool.plumbline]: unknown key {unknown[0]!r}"
                          f"{did_you_mean(unknown[0], names)}; allowed: {', '.join(sorted(names))}")
    return {names[key]: _value(path, names[key], value) for key, value in table.items()}


def _value(path: Path, name: str, value: Any) -> Any:
    """A single value of a repeatable option stands for a list of one; a path is relative to its file."""
    if is_repeatable(name) and isinstance(value, str):
        value = [value]
    if name in PATHS and isinstance(value, str):
        return path.parent / value
    if name in PATHS and isinstance(value, list):
        return [path.parent / item if isinstance(item, str) else item for item in value]
    return value
