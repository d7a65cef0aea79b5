"""What a campaign says beyond its lines: the counts of all calls, of which the record keeps few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from plumbline.trial.judge import ACCUSES
from plumbline.trial.record import Record

Line = dict[str, Any]


def described(record: Record) -> str | None:
    """That the record is of a campaign, in words; None for any other."""
    if not record.is_campaign:
        return None
    first, stop = record.header["campaign"]["range"]
    most = record.header["campaign"]["lines"]
    return (f"a campaign of {stop - first} generated calls, numbers {first} to {stop - 1} of seed "
            f"{record.header['campaign']['seed']}; {len(record.cases)} lines are kept, the first {most['of a cause']} "
            f"of each cause and the first {most['conforming']} that conform, and cases named are among these")


def clause_counts(record: Record) -> dict[str, Counter[str]]:
    """For each clause how many calls of a campaign keep it ("conforms"), break it ("diverges") or are left open by it
    ("touched"); {} where the lines say it all."""
    if not record.is_campaign or record.footer is None:
        return {}
    found = {address: +Counter(counts) for address, counts in record.footer["clauses"].items()}
    for cause in record.footer["causes"]:
        for address in cause["clauses"] if cause["verdict"] == "observed" else ():
            found.setdefault(address, Counter())["touched"] += cause["calls"]
    return found


def accused(record: Record) -> Counter[bool]:
    """How many results accuse the backend, by whether they are known: lines, or calls of a campaign."""
    return counted(record, [line for line in record.cases if line["verdict"] in ACCUSES])


def counted(record: Record, lines: Iterable[Line]) -> Counter[bool]:
    """How many results some lines stand for, by whether they are known: themselves, or in a campaign all calls of the
    causes that they have."""
    if not record.is_campaign or record.footer is None:
        return Counter("known" in line for line in lines)
    causes = {(line["verdict"], *line["clauses"], line.get("known", {}).get("id")) for line in lines}
    found: Counter[bool] = Counter()
    for cause in record.footer["causes"]:
        if (cause["verdict"], *cause["clauses"], cause["known"]) in causes:
            found[cause["known"] is not None] += cause["calls"]
    return found
