"""A record made on the spot: some cases put to one backend, in a process and, where its name says so, an environment
of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from plumbline.backends import find_backend, is_asked
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.trial import KnownDivergences, Record, RecordWriter, Session, read_record
from plumbline.trial.record.header import Backend
from plumbline.trial.run.header_builder import header


def tried(named: str, cases: Iterable[Case]) -> Record:
    """The record of those cases that the backend can be asked, in every form; what is known of it is marked as known.

    Raises BackendError for a backend that cannot be tried, ValueError when no case is left to put to it."""
    backend = find_backend(named)
    host = backend.start()
    try:
        chosen = [case for case in cases if is_asked(host.identity.specifications, case.spec)]
        if not chosen:
            raise ValueError(f"{named} can be asked about {', '.join(host.identity.specifications)}, and no case is")
        specs = [load_spec(name) for name in dict.fromkeys(case.spec for case in chosen)]
        known = KnownDivergences.load(backend.adapter, host.identity.version)
        part = Backend.of(host.identity, tried=known.tried, named=named)
        with TemporaryDirectory() as folder:
            writer = RecordWriter(Path(folder) / "record.jsonl",
                                  header(part, specs, chosen, "python -m notebooks", {}))
            session = Session(host, known, writer)
            session.run(chosen)
            session.close()
            return read_record(writer.path)
    finally:
        host.close()
