"""Judge the sentences of root causes by what a fault is about, and by calls that the record does not have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from plumbline.cases.format.flags import OF_VALUES
from plumbline.oracle.call import is_of
from plumbline.trial.known.conditions import given, holds
from plumbline.trial.known.root_causes import Group, message
from plumbline.trial.known.symptoms import GENERIC
from plumbline.trial.record.lines import CaseLine
from tests.suite.cause_topics import NUMBERS, Subject, named_by, symptom_topics

Truth = Literal["true", "half", "none", "misleading"]
TRUTHS: tuple[Truth, ...] = ("true", "half", "none", "misleading")

ALWAYS = 0.75
"""A fault that shows in this share of the calls needs no condition."""

NEARLY_ALL, FEW = 0.9, 0.1
"""Share of the wrong answers that a true sentence holds for at least, and of the others that it may hold for."""

CHANCE = 0.001
"""Probability above which a condition may hold for all wrong answers by accident."""

ENOUGH = 5
"""Wrong answers to fresh calls that a sentence is judged by alone."""


def sentence(group: Group) -> str:
    """Return the symptom and the conditions of a cause."""
    return " & ".join([*([f"~{group.symptom}"] if group.symptom else []), *group.features])


def truth_of(found: Sequence[Group], subject: Subject, altered: Collection[str], flags: Mapping[str, Collection[str]],
             share: float, tried: Sequence[tuple[CaseLine, bool]],
             is_needed: Callable[[str], bool] = lambda condition: False,
             same: Mapping[str, Sequence[str]] | None = None) -> tuple[Truth | None, str]:
    """Return what the sentences of a fault are worth, and why; None where there is nothing to say.

    flags: the topics of the flags of the definition.
    share: of the calls of the record, how many show the fault.
    tried: lines of calls that the record does not have, or of all if few of these are wrong, each with whether the
           call has what the fault is about.
    is_needed: whether a fault goes where calls are changed so that a condition no longer holds.
    same: see `synonyms`.

    One sentence that names what is not involved misleads, whichever cause has it. Beyond that the largest cause is
    judged: its conditions are true if they name what the fault is about, hold for nearly all wrong answers (of
    refusals: for those with its message), and if the fault is about most calls that they hold for, or few others have
    them."""
    largest = max(found, key=lambda group: len(group.lines))
    wrong = [line for line, _ in tried if line.accuses and is_alike(line, largest.lines[0])]
    wrong = wrong or [line for line, _ in tried if line.accuses]
    concerned, others = [line for line, is_it in tried if is_it], [line for line, is_it in tried if not is_it]

    def part_of(name: str, line: CaseLine) -> bool | None:
        parts = [involvement(each, subject, altered, flags, line) for each in (same or {}).get(name, [name])]
        return max((part for part in parts if part is not None), default=None)
    looks = sum(largest.symptom in line.symptoms for line in wrong) / len(wrong)
    for group in found:
        for name in group.features:
            if part_of(name, group.lines[0]) is None and not (decides(name, tried, group.lines[0]) or is_needed(name)):
                return "misleading", f"{name} is not involved"
        topics, explains, blames_inputs = symptom_topics(group.symptom)
        if explains and (blames_inputs and not subject.of or not topics & subject.about):
            if group is not largest or looks < NEARLY_ALL or blames_inputs or group.symptom in GENERIC:
                return "misleading", f"~{group.symptom} is not involved"
    has = holds(largest.features)
    recall, beyond = sum(map(has, wrong)) / len(wrong), sum(map(has, others))
    if not largest.features and not largest.symptom:
        return (None, "") if share >= ALWAYS else ("none", "")
    if recall < 0.5 or looks < 0.5 and symptom_topics(largest.symptom)[1]:
        return "misleading", f"holds for {recall:.0%}, looks so in {looks:.0%} of {len(wrong)}"
    numbers = f"recall {recall:.2f}, {beyond} of {len(others)} others, looks {looks:.2f}"
    is_about = any(part_of(name, largest.lines[0]) for name in largest.features)
    if recall < NEARLY_ALL or largest.symptom and looks < NEARLY_ALL:
        return "half", numbers
    if is_about and (sum(map(has, concerned)) >= beyond or beyond <= FEW * len(others)):
        return "true", numbers
    return "true" if symptom_topics(largest.symptom)[0] & subject.about else "half", numbers


def is_alike(line: CaseLine, other: CaseLine) -> bool:
    """Return True for results with one verdict, and one message if they are refusals."""
    return (line.verdict, message(line)) == (other.verdict, message(other))


def decides(name: str, tried: Sequence[tuple[CaseLine, bool]], example: CaseLine) -> bool:
    """Return True if a condition about no value decides where or how a fault shows, and not by accident.

    All wrong answers have it, or all with the verdict and message of an example of the cause, and
    - few calls that the fault is about and that are right; or
    - all calls that the fault is about, and few others; or
    - few wrong answers with another."""
    if "holds" in name or name.partition("-in-")[0] in OF_VALUES:
        return False
    has = holds([name])
    wrong = [line for line, _ in tried if line.accuses]
    concerned, others = [line for line, is_it in tried if is_it], [line for line, is_it in tried if not is_it]
    kind, rest = list[CaseLine](), list[CaseLine]()
    for line in wrong:
        (kind if is_alike(line, example) else rest).append(line)
    return any(bool(having) and all(map(has, having)) and len(lacking) >= ENOUGH and (
        (sum(map(has, lacking)) + 1) / (len(lacking) + 2)) ** len(having) < CHANCE for having, lacking in (
            (wrong, [line for line in concerned if not line.accuses]), (concerned, others),
            (kind, rest)))


def synonyms(lines: Collection[CaseLine]) -> dict[str, list[str]]:
    """Return by flag or trait all that hold for the same calls: these are one condition in several words.

    Both the calls that have it and those that lack it must be enough."""
    having: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for name in {*line.features, *line.traits}:
            having.setdefault(name, set()).add(number)
    same: dict[frozenset[int], list[str]] = {}
    for name, numbers in having.items():
        if ENOUGH <= len(numbers) <= len(lines) - ENOUGH:
            same.setdefault(frozenset(numbers), []).append(name)
    return {name: names for names in same.values() for name in names}


def involvement(name: str, subject: Subject, altered: Collection[str], flags: Mapping[str, Collection[str]],
                line: CaseLine) -> bool | None:
    """Return True if a condition names what a fault is about, False if what is around it, None if neither."""
    if name in altered or given(name) in altered:
        return True
    named = named_by(name, line)
    topics = named.topics if named.topic else set(flags.get(name, ()))
    if named.of and subject.of and not is_of(subject.of, named.of) and topics <= NUMBERS:
        return None
    if "given" in subject.about and any(topic.startswith("given:") for topic in topics):
        return True
    return True if topics & subject.about else False if topics & subject.around else None
