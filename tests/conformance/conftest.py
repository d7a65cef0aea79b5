"""The trial as a pytest run: options, one item for each backend, case and form, the record, the summary.

Exit status: 0 nothing new, 1 divergences, refusals, crashes or hangs that are not known (or known ones that are gone),
2 the run itself could not be done, or not all of it.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from plumbline.backends import MEMORY_LIMIT
from plumbline.reports import summary_lines, write_html
from plumbline.trial import read_record
from tests.conformance.trials import Trials, TrialsError

TRIALS = pytest.StashKey[Trials]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a conformance run. `--strict` is pytest's own: here known divergences fail too."""
    group = parser.getgroup("plumbline", "conformance (and --strict: known divergences fail too)")
    group.addoption("--backend", action="append", metavar="NAME[==VERSION]|MODULE[:CLASS]|exec:COMMAND",
                    help="who is tried (repeatable); default onnxruntime. A MODULE alone follows "
                    "onnx.backend.base.Backend; a COMMAND holds {model}, {inputs} and {outputs}")
    group.addoption("--python", metavar="PATH", help="interpreter of the environment that a MODULE[:CLASS] lives in")
    group.addoption("--spec", default="*", metavar="GLOB", help="specifications to try, such as 'sonnx/*'")
    group.addoption("--cases", action="append", metavar="PATH", help="files or folders of cases instead of the suite's")
    group.addoption("--generated", type=int, metavar="COUNT",
                    help="generated cases for each specification; default 64, and none with --cases")
    group.addoption("--seed", type=int, default=0, metavar="N", help="seed of the generated cases; default 0")
    group.addoption("--time-limit", type=float, default=20.0, metavar="SECONDS", help="for one call; default 20")
    group.addoption("--memory-limit", type=int, default=MEMORY_LIMIT, metavar="MIB",
                    help=f"for a backend, beyond what it uses when it is ready; default {MEMORY_LIMIT}")
    group.addoption("--report-dir", metavar="DIR", help="where record and page go; default reports/out of the clone")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Resolve what is tried before anything runs; a run that cannot be done ends here, with status 2."""
    config = session.config
    option = config.getoption
    folder = Path(option("--report-dir") or config.rootpath / "reports" / "out")
    try:
        config.stash[TRIALS] = Trials(
            named=option("--backend") or ["onnxruntime"], python=option("--python"), spec_glob=option("--spec"),
            case_paths=option("--cases"), generated=option("--generated"), seed=option("--seed"),
            time_limit=option("--time-limit"), memory_limit=option("--memory-limit"), folder=folder,
            strict="--strict" in [*config.invocation_params.args, *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))],
            command="pytest " + " ".join(map(str, config.invocation_params.args)))
    except TrialsError as error:
        pytest.exit(f"plumbline: {error}", returncode=2)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Start the backends, unless items are only listed, and leave out what they cannot be asked."""
    if session.config.option.collectonly or session.testsfailed:
        return
    if not session.items:
        pytest.exit("plumbline: the selection leaves nothing to try", returncode=2)
    trials = session.config.stash[TRIALS]
    try:
        trials.start([item.callspec.params["item"] for item in session.items])
    except TrialsError as error:
        pytest.exit(f"plumbline: {error}", returncode=2)
    # What an adapter outside the clone cannot be asked is known only now.
    left_out = [item for item in session.items if not trials.asks(item.callspec.params["item"])]
    if left_out:
        session.config.hook.pytest_deselected(items=left_out)
        session.items[:] = [item for item in session.items if item not in left_out]
        session.testscollected = len(session.items)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each backend, case and form."""
    items = metafunc.config.stash[TRIALS].items()
    metafunc.parametrize("item", [pytest.param(item, id=item.name) for item in items])


@pytest.fixture
def trials(pytestconfig: pytest.Config) -> Trials:
    """Everything that this run tries."""
    return pytestconfig.stash[TRIALS]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the records, and let what is known and gone, or could not be done, decide the exit status."""
    trials = session.config.stash.get(TRIALS, None)
    if trials is None:
        return
    trials.close()
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = max(int(exitstatus), trials.status())


def pytest_configure(config: pytest.Config) -> None:
    """The summary names what failed; a line for each of many failures would bury it."""
    if config.option.reportchars == "fE":
        config.option.reportchars = ""


def shown(path: Path) -> Path:
    """A path as short as it can be written from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """A few lines for each backend, and where its page is."""
    trials = config.stash.get(TRIALS, None)
    if trials is None:
        return
    for line in trials.errors:
        terminalreporter.write_line(f"not tried: {line}", red=True)
    for path in map(shown, trials.records):
        record = read_record(path)
        terminalreporter.section(record.who)
        for line in summary_lines(record):
            terminalreporter.write_line(line)
        page = write_html([record], path.with_suffix(".html"))
        terminalreporter.write_line(f"record  {path}")
        terminalreporter.write_line(f"report  {page}")
