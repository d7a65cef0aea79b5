"""How is it tried? Calls are put to a backend, outcomes judged, and every result written to a record at once."""

from plumbline.trial.judge import VERDICTS, Verdict, judge
from plumbline.trial.known import KnownDivergences
from plumbline.trial.recording import Record, RecordError, RecordWriter, read_record
from plumbline.trial.session import Session

__all__ = ["VERDICTS", "KnownDivergences", "Record", "RecordError", "RecordWriter", "Session", "Verdict", "judge",
           "read_record"]
