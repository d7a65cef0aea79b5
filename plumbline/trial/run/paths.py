"""Name the files of records, and lock each for one writer."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from plumbline.backends.identity import Identity
from plumbline.cases import Case
from plumbline.trial.run.options import RunOptions

LONGEST = 180
"""Letters of a file name, endings apart; systems take 255 bytes."""


class ClaimError(ValueError):
    """A record that another run is writing; the text is one line."""


def file_name(text: str) -> str:
    """Return a text as a safe file name; a digest replaces what is cut."""
    name = "".join(letter if letter.isascii() and letter.isalnum() or letter in ".-_" else "-" for letter in text)
    return name if len(name) <= LONGEST else f"{name[:LONGEST - 9]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def record_name(identity: Identity, selected: Sequence[tuple[Case, str]] = (), profile: str = "") -> str:
    """Return the file name of the record of a backend.

    selected: cases with forms, of a run that did not try everything; they appear in words and as a digest.
    profile:  the accuracy profile, "" for none."""
    name = file_name("-".join([identity.name, identity.version, *filter(None, [profile])]))
    if not selected:
        return f"{name}.jsonl"
    lines = sorted(f"{case.spec} {case.id} {form}" for case, form in selected)
    digest = hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:8]
    return f"{file_name(f'{name}-{_subject([case for case, _ in selected])}')}-{digest}.jsonl"


def _subject(cases: Sequence[Case]) -> str:
    """Name the specification and case, or how many more there are."""
    versions = sorted({case.spec for case in cases})
    names = sorted({version.partition("@")[0] for version in versions})
    first = versions[0] if len(versions) == 1 else names[0]
    if len(names) > 1:
        return f"{first}-and-{len(names) - 1}-more"
    ids = {case.id for case in cases}
    return f"{first}-{ids.pop()}" if len(ids) == 1 else first


def unfinished(path: Path) -> Path:
    """Return the path for the record of an incomplete run."""
    return path.with_suffix(".unfinished.jsonl")


def is_full(options: RunOptions) -> bool:
    """Return True if the options leave nothing out and add nothing."""
    return options.spec == ("*",) and not options.cases and options.generated is None and options.seed == 0 \
        and not options.context and not options.all_versions


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Lock a file for writing. Raises ClaimError if another process has it, and OSError."""
    label = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:16]
    claim = FileLock(Path(tempfile.gettempdir()) / f"plumbline-{label}.lock")
    try:
        claim.acquire(timeout=0)
    except Timeout:
        raise ClaimError(f"{path} is being written by another run; choose another place for this one") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # on Windows it is in use; elsewhere whoever locks it sees that it is gone
            Path(claim.lock_file).unlink()
        claim.release()
