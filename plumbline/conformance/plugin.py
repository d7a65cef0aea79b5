"""Run conformance tests as a pytest plugin.

There is an item for each backend, case and form. Exit status: 0 if nothing is new; 1 if a divergence, refusal, crash or
hang is not known, or a known one is gone; 2 if the run failed or was incomplete. PYTEST_DONT_REWRITE: pytest warns of a
plugin that was imported before it could rewrite its assertions.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shlex
import sys
import warnings
from collections.abc import Generator, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NoReturn

import pytest
from _pytest._code import Traceback
from _pytest.mark.expression import Expression
from _pytest.pathlib import bestrelpath
from _pytest.reports import TestReport
from _pytest.runner import CallInfo, call_and_report

from plumbline.cases.format.withdrawn import earlier_ids
from plumbline.commands.base import TRACEBACK, message, who_ends
from plumbline.conformance.entry_point import ASKED
from plumbline.conformance.progress import Progress
from plumbline.data import PACKAGE
from plumbline.oracle.accuracy import choose_profile
from plumbline.oracle.editions import choose_edition
from plumbline.oracle.foreign_code import limit_code
from plumbline.processes.memory import give_back
from plumbline.processes.signals import interrupt_on_signals
from plumbline.processes.watch import watched
from plumbline.reports import short_summary, summary_lines, write_html
from plumbline.reports.text import folded, tone
from plumbline.trial import Record, read_record
from plumbline.trial.run.options import (
    RunOptions,
    check_variables,
    flag,
    is_repeatable,
    is_switch,
    metavar,
    read_options,
)
from plumbline.trial.run.run import Item, Trials, nothing_selected
from plumbline.trial.run.selection import Selection

TRIALS = pytest.StashKey[Trials]()
PROGRESS = pytest.StashKey[Progress]()
RECORDS = pytest.StashKey[dict[Path, Record]]()
IN_COPY = pytest.StashKey[bool]()
FOLDERS = (Path(__file__).resolve().parent, PACKAGE.parent / "tests" / "conformance")


def stop(why: object) -> NoReturn:
    """End the run with status 2. pytest puts the name of the exception before its text: here that of the suite."""
    raise type("plumbline", (pytest.exit.Exception,), {"__module__": "builtins"})(str(why), returncode=2) from None


@contextlib.contextmanager
def in_one_line() -> Iterator[None]:
    """Turn errors of files and of others' code into one line and exit status 2."""
    try:
        yield
    except (pytest.exit.Exception, pytest.Session.Failed):
        raise
    except SystemExit as ending:
        stop(who_ends(ending))
    except KeyboardInterrupt:
        stop("interrupted")
    except BaseException as error:  # the code of others raises anything
        if TRACEBACK in os.environ or isinstance(error, GeneratorExit):
            raise
        stop(message(error))


class Interrupted:
    """An interrupt between hooks, shown in one line without pytest's advice on tracebacks."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.has_begun = config, False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Note that the start of the session is over."""
        self.has_begun = True

    @pytest.hookimpl(wrapper=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Iterator[None]:
        """Show an interrupt in one line, also before pytest's terminal is there."""
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        is_request = isinstance(excinfo.value, KeyboardInterrupt)
        if is_request:  # at an instruction without a line number it has a traceback that pytest cannot show
            excinfo.traceback = Traceback([])
        yield
        if not self.has_begun:
            if is_request:  # anything else pytest has written to stderr already
                print("plumbline: interrupted", file=sys.stderr)
            if reporter:
                reporter._report_keyboardinterrupt = lambda: None
        elif is_request:
            try:
                stop("interrupted")
            except pytest.exit.Exception as error:
                told = pytest.ExceptionInfo.from_exception(error)
                reporter._keyboardinterrupt_memo = told.getrepr(funcargs=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a conformance run. `--strict` is pytest's own: here known divergences fail too."""
    group = parser.getgroup("plumbline", "conformance (and --strict: known divergences fail too)")
    for name, field in RunOptions.model_fields.items():
        how: dict[str, Any] = {"action": "store_true"} if is_switch(name) else {
            "action": "append" if is_repeatable(name) else "store", "metavar": metavar(name)}
        group.addoption(flag(name), dest=f"plumbline_{name}", default=None, help=field.description, **how)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Read the options and choose specifications; a run that cannot be done ends here, with status 2."""
    config = session.config
    interrupt_on_signals()
    limit_code()
    if getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        stop("-n: a conformance run has workers of its own; leave -n out, and see --workers")
    if config.option.setuponly or config.option.setupplan:
        stop("--setup-only and --setup-plan try nothing; leave them out, or list the cases with --collect-only")
    if not config.pluginmanager.has_plugin("terminalreporter"):
        stop("-p no:terminal: without pytest's terminal nobody hears of the results; leave it out")
    for argument in config.args:
        if not _is_conformance(argument, config.invocation_params.dir):
            stop(f"{argument}: a conformance run takes options alone; --spec names specifications and --cases files "
                 "of cases, and plumbline model tries a model")
    given = {name: config.getoption(f"plumbline_{name}") for name in RunOptions.model_fields}
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if is_quiet(config):
        reporter._show_progress_info = reporter.showfspath = False
    with in_one_line():
        check_variables()
        options = read_options(given, config.invocation_params.dir)
        if is_quiet(config):
            config.get_terminal_writer().line(f"collecting the cases of --spec {' '.join(options.spec)}")
        if options.edition is not None:
            config.add_cleanup(choose_edition(options.edition))
        if options.accuracy is not None:
            config.add_cleanup(choose_profile(options.accuracy))
        config.stash[TRIALS] = Trials(
            options,
            "--strict" in [*config.invocation_params.args, *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))],
            _typed(), _selection(config, options))


def _selection(config: pytest.Config, options: RunOptions) -> Selection:
    """Return the selection by -k and node ids. An invalid expression ends the run before cases are collected."""
    ids = [argument for argument in config.args if "[" in argument]
    ids = ids if len(ids) == len(config.args) else []
    fixed = [f"{FOLDERS[0]}::{FOLDERS[1]}::test_conformance.py::test_conformance[{named}" for named in options.backends]
    try:
        expression = Expression.compile(config.option.keyword) if config.option.keyword else None
    except (SyntaxError, ValueError) as error:
        stop(f"-k {config.option.keyword!r} is not a valid expression: {getattr(error, 'msg', error)}")
    if expression is None:
        return Selection(ids)
    return Selection(ids, config.option.keyword,
                     lambda matcher: expression.evaluate(lambda name, /, **_: matcher(name)), fixed)


def _is_conformance(argument: str, folder: Path) -> bool:
    """Return True for this package, its folder, that of a clone's tests, and what is below them."""
    path = Path(os.path.realpath(folder / argument.partition("::")[0]))
    return bool(ASKED.match(argument)) or any(map(path.is_relative_to, FOLDERS))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Run in a watched copy of this process, since others' code may end it."""
    if config.stash.setdefault(IN_COPY, False):
        return None
    config.stash[IN_COPY] = True
    config.pluginmanager.register(Interrupted(config))

    def run() -> int:
        try:
            return int(config.hook.pytest_cmdline_main(config=config))
        except pytest.UsageError as error:
            print(*(f"ERROR: {line}" for line in error.args), sep="\n", file=sys.stderr)
            return int(pytest.ExitCode.USAGE_ERROR)

    return watched(run)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Start the backends, then run the items; an interrupt is shown in one line."""
    with in_one_line():
        _start(session)
        return (yield)


def _start(session: pytest.Session) -> None:
    """Start the backends, unless items are only listed; drop items outside their capabilities."""
    if session.config.option.collectonly or session.testsfailed:
        return
    if not session.items:
        stop(nothing_selected(session.config.option.keyword))
    trials = session.config.stash[TRIALS]
    if is_quiet(session.config):
        named = ", ".join(backend.named for backend in trials.backends)
        session.config.get_terminal_writer().line(f"running {len(session.items):,} results on {named}")
    session.config.stash[PROGRESS] = Progress(len(session.items), session.config.get_terminal_writer(),
                                              is_quiet(session.config))
    gc.freeze()  # the cases stay until the end: whoever looks for garbage, copies of this process too, passes them over
    for backend in trials.backends:
        if backend.download:
            session.config.get_terminal_writer().line(f"\n{backend.named}: to be downloaded: {backend.download}")
    trials.start([item.of for item in session.items if isinstance(item, ResultItem)])
    # What an adapter outside the suite cannot be asked is known only now.
    left_out = [item for item in session.items if isinstance(item, ResultItem) and not trials.asks(item.of)]
    if left_out:
        session.config.hook.pytest_deselected(items=left_out)
        for item in left_out:
            vars(item).pop("of")  # pytest keeps the items, and they need not keep their tensors
        unasked = set(left_out)
        session.items[:] = [item for item in session.items if item not in unasked]
        session.testscollected = len(session.items)


class ResultItem(pytest.Item):
    """A case in one form for one backend, without the overhead of a test function."""

    def __init__(self, *, of: Item, **named: Any) -> None:
        super().__init__(**named)
        self.of = of
        # Under a withdrawn id, -k chooses the case that replaces it.
        self.extra_keyword_matches |= {f"[{of.name_of(earlier)}]" for earlier in earlier_ids(of.case.spec, of.case.id)}

    def runtest(self) -> None:
        """Run the case; fail if the verdict accuses the backend and is not known."""
        trials = self.config.stash[TRIALS]
        with in_one_line():
            result = trials.submit(self.of)
        self.user_properties += trials.properties(result)
        fault = trials.fault(self.of, result)
        self.config.stash[PROGRESS].done(result)
        if fault is not None:
            pytest.fail(fault, pytrace=False)
        if result.accuses:
            pytest.xfail(f"known: {result.known.id}" if result.known else "no baseline for this version yet")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the description of a failed result, without a traceback."""
        said = isinstance(excinfo.value, (pytest.fail.Exception, pytest.xfail.Exception))
        return str(excinfo.value) if said else super().repr_failure(excinfo, style)

    @cached_property
    def location(self) -> tuple[str, None, str]:
        """The file that stands for all items, and the name of this one."""
        return _relative(self.config.rootpath, self.path), None, self.name


@cache
def _relative(top: Path, path: Path) -> str:
    """The path of a file from the top; pytest would look for it once more for each item."""
    return bestrelpath(top, path)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Run an item in one phase: it has neither set-up nor teardown."""
    if not isinstance(item, ResultItem):
        return None
    item.config.pluginmanager.unregister(name="logging-plugin")  # it wants a set-up, and nothing is logged here
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call_and_report(item, "call")
    end = TestReport.from_item_and_call(item, CallInfo.from_call(lambda: None, "teardown"))
    item.ihook.pytest_runtest_logreport(report=end)  # for which JUnit's file waits
    reporter: Any = item.config.pluginmanager.get_plugin("terminalreporter")
    reporter.stats.pop("", None)  # the terminal keeps what it never shows
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str,
                              obj: object) -> list[pytest.Item] | None:
    """Make an item for each backend, case and form."""
    if name != "test_conformance" or not getattr(obj, "__module__", "").endswith("conformance.test_conformance"):
        return None
    with in_one_line():
        return [ResultItem.from_parent(collector, name=f"{name}[{item.name}]", of=item)
                for item in collector.config.stash[TRIALS].items()]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the records, and raise the exit status for errors and known divergences that are gone."""
    trials = session.config.stash.get(TRIALS, None)
    if trials is None:
        return
    if PROGRESS in session.config.stash:
        session.config.stash[PROGRESS].close()
    trials.close()
    trials.release()
    for item in session.items:
        if isinstance(item, ResultItem):
            vars(item).pop("of")
    give_back()
    records = session.config.stash[RECORDS] = {}
    for path in trials.records:
        try:
            records[path] = read_record(path)
            write_html([records[path]], page_of(path), trials.processes)
        except Exception as error:
            if TRACEBACK in os.environ:
                raise
            trials.errors.append(message(error))
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        session.exitstatus = max(int(exitstatus), trials.status())
    if session.exitstatus == pytest.ExitCode.OK and trials.stopped:
        session.exitstatus = pytest.ExitCode.INTERRUPTED  # an option or a plugin left out what was planned


def pytest_configure(config: pytest.Config) -> None:
    """Leave the list of failures out unless -v asks for it.

    The summary groups what failed by its causes; thousands of failures above it would bury it."""
    config.addinivalue_line("filterwarnings", "ignore::RuntimeWarning")  # numpy's, of values that are judged anyway
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    if config.option.reportchars == "fE":
        config.option.reportchars = ""
    if is_quiet(config) and config.option.tbstyle in ("auto", "short"):
        config.option.tbstyle = "no"


def is_quiet(config: pytest.Config) -> bool:
    """True unless -v asks for more than a progress line and a short summary."""
    return bool(config.option.verbose <= (-1 if "-q" in config.invocation_params.args else 0))


@pytest.hookimpl(wrapper=True)
def pytest_report_teststatus(config: pytest.Config) -> Generator[None, Any, Any]:
    """Print no letter for a result: a progress line stands for all of them."""
    category, letter, word = yield
    return (category, "", "") if is_quiet(config) else (category, letter, word)


def _typed() -> str:
    """Return the command of this run, as it was typed."""
    program = Path(sys.argv[0])
    return shlex.join([program.parent.name if program.stem == "__main__" else program.stem, *sys.argv[1:]])


def shown(path: Path) -> Path:
    """Return a path as short as it can be written from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def page_of(record: Path) -> Path:
    """Return the path of the page of a record."""
    return record.with_suffix(".html")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a few lines for each backend, and the path of its page."""
    trials = config.stash.get(TRIALS, None)
    if trials is None or trials.is_starved:  # of which one line was said: what failed is no finding
        return
    for line in [*(f"not tried: {error}" for error in trials.errors), *trials.stopped]:
        terminalreporter.write_line(line, red=True)
    width = terminalreporter._tw.fullwidth if terminalreporter._tw.hasmarkup else 0  # elsewhere lines stay whole
    for path, record in config.stash.get(RECORDS, {}).items():
        terminalreporter.section(record.who)
        for line in short_summary(record) if is_quiet(config) else summary_lines(record, True):
            for part in folded(line, width):
                terminalreporter.write_line(part, **({tone(line): True} if tone(line) else {}))
        terminalreporter.write_line(f"record  {shown(path)}")
        terminalreporter.write_line(f"report  {shown(page_of(path))}")
