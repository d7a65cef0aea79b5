"""How is it tried? Calls are put to a backend, outcomes judged, and every result written to a record at once."""

from trial.judge import VERDICTS, Verdict, judge
from trial.known import KnownDivergences
from trial.record import Record, RecordError, RecordWriter, read_record
from trial.session import Session

__all__ = ["VERDICTS", "KnownDivergences", "Record", "RecordError", "RecordWriter", "Session", "Verdict", "judge",
           "read_record"]
