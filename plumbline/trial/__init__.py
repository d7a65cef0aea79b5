"""Trials: run calls on a backend, judge the outcomes, record every result."""

from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.judge import VERDICTS, Verdict, judge
from plumbline.trial.record.recording import Record, RecordError, RecordWriter, read_record
from plumbline.trial.run.session import Session

__all__ = ["VERDICTS", "KnownDivergences", "Record", "RecordError", "RecordWriter", "Session", "Verdict", "judge",
           "read_record"]
