"""Find backends by the names of the command line, and start them.

A name is `onnxruntime==1.23.2`, `package.module:Class`, `exec:COMMAND` or `stdio:COMMAND`. An adapter is a class in
adapters/NAME.py, or a program of `stdio:` that adapters/NAME.yaml declares. Its name may end with an execution
provider, `onnxruntime==1.24.1@OpenVINOExecutionProvider:device_type=CPU`, or with a configuration of the runtime,
`onnxruntime@denormals-as-zero`.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from plumbline.backends.capabilities import CapabilityError, read_capabilities
from plumbline.backends.declarations import (
    ADAPTER_FOLDER,
    BackendError,
    Declared,
    adapter_file,
    adapter_names,
    content_of,
    contexts_of,
    read_declared,
)
from plumbline.backends.environments import NPM, environment, is_made, node_environment
from plumbline.backends.foreign_text import NAME, one_line
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.in_process import InProcess
from plumbline.backends.process import MEMORY_LIMIT, Worker
from plumbline.backends.program import Program
from plumbline.backends.scripts import of_class
from plumbline.backends.stdio import Stdio
from plumbline.backends.worker import SPECIFICATIONS, load_adapter
from plumbline.cases.onnx.contexts import contexts as known_contexts
from plumbline.oracle.did_you_mean import did_you_mean

PROGRAM_FILE = ADAPTER_FOLDER.with_name("javascript") / "onnxruntime.mjs"
EMBEDDED = "onnxruntime"
"""The backend that runs in the suite's own environment if it is installed there."""

CONFIGURED = {"threads", "optimization"}
"""Settings of contexts that a configuration decides itself."""

DEFAULT_PROVIDER = "CPUExecutionProvider"
"""The provider whose known divergences are those of the adapter itself."""

PROGRAM, STDIO = "exec:", "stdio:"
"""Prefixes of programs: one started for each call, and one that answers over stdin and stdout."""

CLASS = r"[A-Za-z_][\w.]*:[A-Za-z_]\w*"
"""The name of an adapter outside the suite: MODULE:CLASS."""


AnyHost = TypeVar("AnyHost", bound=Host)


@dataclass(frozen=True)
class Backend:
    """A backend that `--backend` names, not started yet.

    named:     its name on the command line.
    adapter:   the name of the adapter, "" for one outside the suite.
    reference: path/to/file.py:Class, package.module:Class, the module of an ONNX backend, or the command of a program.
    specifications: patterns of the specifications that it can be asked about; None if only the started backend knows.
    contexts:  the contexts that it takes; None if only the started backend knows.
    overrides: name, version and capabilities that replace those of its identity.
    megabytes: the size of its environment on disk, measured on x86-64 Linux; 0 where it was not measured.
    program:   as in `Declared`.
    provider:  the execution provider with its options, as NAME:OPTION=VALUE,..., or the name of a configuration; "" for
               the adapter's choice.
    """

    named: str
    adapter: str
    reference: str
    requirements: tuple[str, ...] = ()
    python: Path | None = None
    specifications: tuple[str, ...] | None = None
    contexts: tuple[str, ...] | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    megabytes: int = 0
    program: Mapping[str, Any] = field(default_factory=dict)
    provider: str = ""

    @property
    def download(self) -> str:
        """The packages to download for its environment, with their size, or ""."""
        if not self.requirements or is_made(self.adapter, self.requirements):
            return ""
        size = f", {self.megabytes:,} MB on disk with all that it needs" if self.megabytes else ""
        return f"{', '.join(self.requirements)}{size}"

    def declared_contexts(self, memory_limit: int = MEMORY_LIMIT) -> tuple[str, ...]:
        """Return its contexts, from the started backend if necessary."""
        return self.described(memory_limit).contexts or ()

    def described(self, memory_limit: int = MEMORY_LIMIT) -> Backend:
        """Return it with its specifications and contexts, from the started backend if necessary."""
        if self.contexts is not None:
            return self
        host = self.start(memory_limit)
        host.close()
        return replace(self, specifications=tuple(host.identity.specifications),
                       contexts=contexts_of(self.named, host.identity.contexts))

    def start(self, memory_limit: int = MEMORY_LIMIT) -> Host:
        """Return a started host; make its environment if needed. Raises BackendError."""
        try:
            return self._completed(self._started(memory_limit))
        except (StartError, CapabilityError) as error:
            raise BackendError(f"{self.named}: {error}") from None

    def _completed(self, host: AnyHost) -> AnyHost:
        """Complete the identity of a host. Raises CapabilityError."""
        host.identity = replace(host.identity, **self.overrides)
        read_capabilities(host.identity.capabilities)
        if re.fullmatch(CLASS, self.reference) and not host.identity.reproduce:
            host.identity = replace(host.identity, reproduce=of_class(self.reference))
        return host

    def _started(self, memory_limit: int) -> Host:
        if self.named.startswith(PROGRAM):
            return Program(self.reference, memory_limit)
        if self.named.startswith(STDIO):
            return Stdio(self.reference, memory_limit=memory_limit)
        if self.program:
            node, folder = node_environment(self.adapter, self.requirements)
            package, _, _ = self.requirements[0].removeprefix(NPM).partition("==")
            words = [node, str(PROGRAM_FILE), str(folder), package, *self.reference.split()]
            return Stdio(shlex.join(words), self.program, memory_limit=memory_limit)
        python = environment(self.adapter, self.requirements) if self.requirements else self.python
        return Worker(self.reference, python or Path(sys.executable), self.provider, memory_limit=memory_limit)

    def load(self) -> InProcess:
        """Return the adapter in this process; it must not crash.

        It must be installed in the suite's own environment. Raises BackendError."""
        if self.named.startswith((PROGRAM, STDIO)) or self.requirements or self.python:
            raise BackendError(f"{self.named} cannot run in the process of the suite: it has an environment of its own")
        try:
            return self._completed(InProcess(load_adapter(self.reference, self.provider), self.start))
        except Exception as error:  # an adapter may raise anything when it is imported or describes itself
            raise BackendError(f"{self.named}: {type(error).__name__}: {error}") from None


def find_backend(named: str, python: Path | None = None, *, name: str | None = None, version: str | None = None,
                 capabilities: Any = None) -> Backend:
    """Return the backend of a name.

    `python` is the interpreter for a module or class. `name`, `version` and `capabilities` replace what the backend
    says of itself; the latter are data as an adapter declares them (`backends.capabilities`), or the path of a YAML or
    JSON file with them. Raises BackendError."""
    backend, place = _find(named, python), named
    if isinstance(capabilities, Path):
        place = str(capabilities)
        capabilities = content_of(capabilities)
    try:
        read_capabilities(capabilities)
    except CapabilityError as error:
        raise BackendError(f"{place}: {error}") from None
    overrides = {"name": name and one_line(name, NAME), "version": version and one_line(version, NAME),
                 "capabilities": capabilities}
    return replace(backend, overrides={key: value for key, value in overrides.items() if value is not None})


def _find(named: str, python: Path | None) -> Backend:
    """Return the backend of a name; see the module. Raises BackendError.

    python: the interpreter that runs it, None for the suite's own or that of a private environment."""
    for prefix, specifications in ((PROGRAM, SPECIFICATIONS), (STDIO, None)):
        if named.startswith(prefix):
            if python is not None:
                raise BackendError(f"{named}: --python is for a MODULE or MODULE:CLASS; a program brings what it needs")
            return Backend(named, "", named.removeprefix(prefix).strip(), specifications=specifications,
                           contexts=())
    if re.fullmatch(CLASS + r"|[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", named):
        return Backend(named, "", named, python=python)
    release, at, provider = named.partition("@")
    name, equals, version = release.partition("==")
    if name not in adapter_names():
        raise BackendError(f"no backend is called {named!r}{did_you_mean(name, adapter_names())} "
                           f"(one of {', '.join(adapter_names())}, each with ==VERSION; or package.module:Class, a "
                           "module of an ONNX backend, exec:COMMAND, stdio:COMMAND)")
    if equals and not re.fullmatch(r"[0-9][\w.+!-]*", version):
        raise BackendError(f"{named!r}: {version!r} is no version; write {name}==1.2.3")
    path = adapter_file(name)
    declared = read_declared(path)
    requirements = declared.requirements
    provider_name, _, options = provider.partition(":")
    contexts = declared.contexts
    if provider_name in declared.configurations:
        if options:
            raise BackendError(f"{named}: the configuration {provider_name!r} takes no options")
        contexts = tuple(name for name in contexts if not CONFIGURED & known_contexts()[name].settings.keys())
    elif at:
        requirements = _of_provider(named, declared, provider_name, options)
    if python is not None and declared.program:
        raise BackendError(f"{named}: --python is for adapters in Python; {name} runs in Node")
    if equals:
        requirements = (f"{requirements[0]}=={version}", *requirements[1:])
    elif python is not None or requirements == declared.requirements and _is_here(name):
        requirements = ()
    reference, program = f"{path}:{declared.class_name}", declared.program
    if program:
        threads = declared.threads.get(provider_name, 1)
        reference = f"{declared.class_name} {threads}"
        program = {**program, "name": f"{name}{at}{provider}", "reproduce": program["reproduce"].replace(
            "numThreads = 1", f"numThreads = {threads}")}
    adapter = name if not at or provider_name == DEFAULT_PROVIDER else f"{name}-{provider_name}"
    return Backend(named, adapter, reference, requirements, None if equals else python, declared.specifications,
                   contexts, megabytes=0 if at else declared.megabytes, program=program,
                   provider=provider)


def _is_here(name: str) -> bool:
    return name == EMBEDDED and importlib.util.find_spec(EMBEDDED) is not None


def _of_provider(named: str, declared: Declared, provider: str, options: str) -> tuple[str, ...]:
    """Return the packages with an execution provider. Raises BackendError."""
    if provider not in declared.providers:
        every = ", ".join([*declared.providers, *declared.configurations])
        known = f"; it has {every}" if every else ""
        raise BackendError(f"{named}: there is no provider or configuration {provider!r}{known}")
    if not re.fullmatch(r"(\w+=[^=,]+(,\w+=[^=,]+)*)?", options):
        raise BackendError(f"{named}: {options!r} is not of the form option=value,option=value")
    return *declared.providers[provider], *declared.requirements[1:]
