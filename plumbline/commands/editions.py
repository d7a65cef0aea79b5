"""Compare the published releases of ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import click
from tqdm import tqdm

from plumbline.commands.base import Commands
from plumbline.trial.editions.wheels import EditionsError, Wheel, unpublished, wheels

commands = Commands("editions", help=__doc__)


@commands.command()
@click.argument("releases", nargs=-1, metavar="[RELEASE...]")
@click.option("--fetch", is_flag=True, help="Download the wheels that are missing, and nothing else.")
@click.option("--check", is_flag=True, help="Judge the official tests and the shape inference of the releases by the "
              "specifications instead; status 1 where one is accused.")
@click.option("--inference/--no-inference", default=True, help="Whether to ask the shape inference of releases that "
              "this Python can import, each in an environment of its own.")
def editions(releases: tuple[str, ...], fetch: bool, check: bool, inference: bool) -> int:
    """Show what releases of ONNX changed in place: texts, official tests and shape inference.

    Without RELEASE, all that the package index has. Exit status: 0 done; 1 --check accused a release; 2 a wheel is
    missing, or does not have the digest of the list.
    """
    chosen = wheels(releases)
    for wheel in tqdm(chosen, desc="wheels", disable=None, leave=False):
        wheel.fetch()
    if fetch:
        click.echo(f"{len(chosen)} wheels are in {chosen[0].path.parent}")
        return 0
    return _check(chosen, inference) if check else _compare(chosen, inference)


def _compare(chosen: Sequence[Wheel], inference: bool) -> int:
    from plumbline.trial.editions.comparison import report
    report(chosen, click.echo)
    if inference:
        click.echo("\n## Shape inference against the specifications\n")
        _infer(chosen)
    _not_looked_at(chosen)
    return 0


def _check(chosen: Sequence[Wheel], inference: bool) -> int:
    """Judge official tests of releases, and inferred shapes if asked; return 1 if a release is accused, else 0."""
    from plumbline.trial.editions.gate import Finding, counted, judge_tests
    findings: list[Finding] = []
    for wheel in tqdm(chosen, desc="official tests", disable=None, leave=False):
        found = list(judge_tests(wheel))
        if not found:
            raise EditionsError(f"onnx {wheel.release}: no official test was judged")
        findings += found
    for finding in findings:
        if finding.kind != "conforms":
            click.echo(finding)
    click.echo(f"official tests of {len(chosen)} releases: {counted(findings)}")
    accused = any(finding.kind == "accused" for finding in findings)
    if inference:
        accused |= _infer(chosen)
    _not_looked_at(chosen)
    return int(accused)


def _infer(chosen: Sequence[Wheel]) -> bool:
    """Return True if shape inference of a release is accused; show each kind of finding once by specification."""
    from plumbline.trial.editions.gate import counted, judge_inference
    accused = False
    for wheel in chosen:
        try:
            findings = list(judge_inference([wheel.release]))
        except EditionsError as error:
            click.echo(f"- not looked at: {error}")
            continue
        shown = {(finding.spec, finding.kind, finding.why if finding.kind == "disputed" else ""): finding
                 for finding in findings if finding.kind != "conforms"}
        click.echo(f"- onnx {wheel.release}: {counted(findings)}")
        for finding in shown.values():
            click.echo(f"  - {finding.kind}: {finding.spec}: {finding.why}")
        accused |= any(finding.kind == "accused" for finding in findings)
    return accused


def _not_looked_at(chosen: Sequence[Wheel]) -> None:
    import onnx

    from plumbline.trial.editions.node_tests import has_data
    made = [wheel.release for wheel in chosen if not has_data(wheel) and wheel.release != onnx.__version__]
    click.echo("\n## Not looked at\n")
    for release in made:
        click.echo(f"- node tests of onnx {release}: it makes their data when they are run; install that release")
    for release, why in unpublished().items():
        click.echo(f"- onnx {release}: {why}")
