"""Merge clusters of results with one root cause.

Conditions tell a cluster from the rest: features that all its calls have and few conforming calls share. Two clusters
are merged if the same known divergence explains them, or if the conditions that all their calls share still tell them
from the conforming calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from plumbline.cases.onnx.contexts import flag
from plumbline.trial.known.conditions import TOLD, holds, with_traits
from plumbline.trial.known.evidence import shows_most
from plumbline.trial.known.symptoms import GENERIC, OBSERVED
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record
from plumbline.trial.record.traits import HELD

CONDITIONS = 3
"""Most conditions of a group."""

FEW, MOST = 0.25, 0.75
"""Shares of the conforming results: groups are merged if few have their common features; a feature that most have is no
condition."""

PATTERN = 3
"""Least calls that show a pattern."""

TINY = 1 / 16
"""Relative size at which the conditions of a smaller group that breaks the same clause are accidental."""


class Conforming:
    """The features of conforming results, by specification."""

    def __init__(self, record: Record) -> None:
        self._features: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
        self._lines: dict[str, list[CaseLine]] = {}
        self._told: dict[int, tuple[list[CaseLine], frozenset[str], int]] = {}
        for line in record.cases:
            if line.verdict == "conforms":
                self._features.setdefault(line.spec, []).append((frozenset(line.covers), line.features))
                self._lines.setdefault(line.spec, []).append(line)

    def comparable(self, lines: Collection[CaseLine]) -> list[frozenset[str]]:
        """Return those of results that test one of the broken clauses.

        If there are none, return those of all results under the same specifications."""
        broken = {address for line in lines for address in line.clauses}
        testing = [features for covers, features in self._of(lines) if not broken.isdisjoint(covers)]
        return testing or self.of_specifications(lines)

    def are_apart(self, first: Collection[CaseLine], second: Collection[CaseLine]) -> bool:
        """Return True if no result tests broken clauses of both."""
        left, right = ({address for line in lines for address in line.clauses} for lines in (first, second))
        return not any(covers & left and covers & right for covers, _ in self._of([*first, *second]))

    def of_specifications(self, lines: Iterable[CaseLine]) -> list[frozenset[str]]:
        """Return those of all results under the same specifications."""
        return [features for _, features in self._of(lines)]

    def conditions(self, lines: list[CaseLine]) -> tuple[frozenset[str], int]:
        """Return flags and traits that tell a cluster from conforming results, and how many of these have them.

        The cluster is kept, so that its id stays unique."""
        if id(lines) not in self._told:
            flags = conditions_of(lines, self, self.of_specifications(lines))
            conditions, spared = with_traits(flags, lines, self.lines(lines), is_told=False)
            self._told[id(lines)] = lines, frozenset(conditions), spared
        return self._told[id(lines)][1:]

    def lines(self, lines: Iterable[CaseLine]) -> list[CaseLine]:
        """Return all results under the same specifications."""
        return [each for spec in {line.spec for line in lines} for each in self._lines.get(spec, ())]

    def _of(self, lines: Iterable[CaseLine]) -> list[tuple[frozenset[str], frozenset[str]]]:
        return [each for spec in {line.spec for line in lines} for each in self._features.get(spec, ())]

    def spared(self, lines: Collection[CaseLine]) -> int:
        """Return how many comparable results have the common features of the lines."""
        common = _common(lines)
        return sum(common <= features for features in self.comparable(lines))


def merged(clusters: list[list[CaseLine]], conforming: Conforming) -> list[list[CaseLine]]:
    """Merge clusters with one root cause.

    First those that share conditions: what is left then may be an accident. The smallest are tried first: their calls
    share most features by accident."""
    return _merged(_merged(clusters, conforming, False), conforming, True)


def _merged(clusters: list[list[CaseLine]], conforming: Conforming, by_accident: bool) -> list[list[CaseLine]]:
    left, done, apart = sorted(clusters, key=len), list[list[CaseLine]](), set[tuple[int, int]]()
    every = [*left]  # keeps all clusters alive, so that ids stay unique
    while len(done) != len(left):
        done = left
        for first, second in combinations(left, 2):
            if (id(first), id(second)) in apart:
                continue
            if first[0].verdict == second[0].verdict and _is_one_cause(
                    first, second, conforming, by_accident):
                left = [cluster for cluster in left if cluster is not first and cluster is not second]
                left.append(first + second)
                every.append(left[-1])
                break
            apart.add((id(first), id(second)))
    return left


def _is_one_cause(first: list[CaseLine], second: list[CaseLine], conforming: Conforming, by_accident: bool) -> bool:
    """Return True if two clusters with one verdict have one root cause."""
    known = [{line.known.id if line.known else None for line in lines} for lines in (first, second)]
    if known[0] == known[1] and len(known[0]) == 1 and None not in known[0]:
        return True
    if None not in known[0] | known[1] and known[0].isdisjoint(known[1]):
        return False  # the register says that they are different
    if first[0].verdict != "diverges":
        return False
    both = first + second
    spared, comparable = conforming.spared(both), len(conforming.comparable(both))
    spared_apart = conforming.spared(first) + conforming.spared(second)  # a few more have what is common to both
    if spared <= min(FEW * comparable, len(both), (1 + FEW) * spared_apart):
        return True
    small, large = sorted([first, second], key=len)
    return known[0] == known[1] and operator_of(first[0]) == operator_of(second[0]) and (
        _is_part(small, large, conforming, by_accident) or _is_part(large, small, conforming, by_accident)
        or _is_one_rule(first, second, conforming) or _has_its_traits(small, large, conforming)
        or by_accident and not explanations(large) and _has_its_traits(large, small, conforming))


def _has_its_traits(part: list[CaseLine], whole: list[CaseLine], conforming: Conforming) -> bool:
    """Return True if all calls of a cluster have the conditions of another, traits among them, and few other calls."""
    conditions, spared = conforming.conditions(whole)
    most = max((1 + FEW) * len(whole), FEW * len(conforming.lines(whole)))
    return not conditions <= _common(whole) and spared <= most and all(map(holds(conditions), part))


def _is_part(part: list[CaseLine], whole: list[CaseLine], conforming: Conforming, by_accident: bool) -> bool:
    """Return True if a cluster shows no fault but that of another.

    part:  lines of the cluster; `whole` are those of the other one.

    That is so in four situations:
    - The calls of the part have all conditions of the whole, and few conforming calls have them, or the part has the
      same conditions.
    - The part is not larger, breaks a clause of the whole, and has its conditions, or twice as many conforming results
      as the whole has have them. A symptom of the part is then an accident, as when wrong float64 values happen to be
      values of float32.
    - The part is far smaller, and breaks a clause of the whole, or has its conditions and no symptom: its own
      conditions are accidents, and so are symptoms of few calls that the whole does not have.
    - Neither has conditions or symptoms."""
    around = conforming.of_specifications(whole)
    conditions, own = (set(conditions_of(lines, conforming, conforming.of_specifications(lines)))
                       for lines in (whole, part))
    has_conditions, spared = conditions <= _common(part), sum(conditions <= features for features in around)
    is_tiny = len(part) <= TINY * len(whole)
    if len(part) <= len(whole) and _rules(part) & _rules(whole) and (
            has_conditions or by_accident and (spared >= 2 * len(whole) or is_tiny)):
        return True
    if is_tiny and has_conditions and not common_symptoms(part if shows_most(part) else part + whole):
        return True
    if not conditions and not own:
        return not common_symptoms(part) and not common_symptoms(whole)
    is_rare = spared <= FEW * len(around)
    return bool(conditions) and has_conditions and (is_rare or conditions == own)


def _is_one_rule(first: list[CaseLine], second: list[CaseLine], conforming: Conforming) -> bool:
    """Return True for clusters that break clauses on one rule, and whose wrong elements no symptom explains.

    What is only seen of an output may be impossible in one of another type: no integer is NaN. No call tests clauses of
    both, as with clauses on explicit and on computed padding; and the features common to both tell each from comparable
    conforming results about as well as its own conditions."""
    shared = _common(first + second)

    def is_told(lines: list[CaseLine]) -> bool:
        comparable = conforming.comparable(lines)
        own = frozenset(conditions_of(lines, conforming, comparable))
        return sum(shared <= features for features in comparable) <= 2 * sum(own <= features for features in comparable)
    return (not explanations(first) | explanations(second) and conforming.are_apart(first, second)
            and is_told(first) and is_told(second))


def common_symptoms(lines: Iterable[CaseLine]) -> frozenset[str]:
    """Return the symptoms common to all lines."""
    return frozenset.intersection(*(frozenset(line.symptoms) for line in lines))


def explanations(lines: Collection[CaseLine]) -> frozenset[str]:
    """Return the symptoms common to all lines that explain wrong elements; of few calls they are accidents."""
    return common_symptoms(lines) - OBSERVED if shows_most(lines) else frozenset()


def _rules(lines: Iterable[CaseLine]) -> set[str]:
    """Return the broken clauses without the kind of element type. All wrong shapes are one rule."""
    rules = {".".join(local.split(".")[-2:]) for line in lines for local in locals_of(line)}
    return rules | {"shape" for line in lines if _has_another_shape(line)}


def _has_another_shape(line: CaseLine) -> bool:
    return any(name in (line.expected or {}) and tensor.shape != (line.expected or {})[name].shape
               for name, tensor in (line.got or {}).items())


def conditions_of(lines: list[CaseLine], conforming: Conforming, conforming_features: list[frozenset[str]]
                ) -> tuple[str, ...]:
    """Return the few common features that exclude most conforming results.

    A feature that excludes none, or only a few of many, is no condition, nor is one about values that a wrong element
    does not read, unless it excludes all that are left. What fewer than `PATTERN` calls have in common is accident:
    values that all wrong elements read go before all else."""
    if lines[0].clauses and lines[0].verdict != "diverges":
        return ()  # outside the domain, where nothing conforms
    around, left, chosen = conforming.of_specifications(lines), conforming_features, list[str]()
    common, unread = set(_common(lines)), {name for line in lines for name in line.unread}
    shown = {name for name in common if any(_value(name) in symptom for symptom in common_symptoms(lines))}
    if shown & _value_flags(common):  # wrong elements show which of the values it is
        common -= _value_flags(common) - shown
    if len(lines) < PATTERN:
        own = common - {lines[0].dtype} - frozenset[str]().union(*left)  # no call that conforms has these
        contexts = {name for name in common if name.startswith(flag(""))}
        common = _of_values(common, lines, left) or own | contexts
    while common and left and len(chosen) < CONDITIONS and not (
            chosen and len(left) <= max(len(lines), TOLD * len(conforming_features))):
        counts = {name: sum(name in features for features in left) for name in sorted(common)}
        best = min(counts, key=lambda name: (counts[name], sum(name in features for features in around)))
        sharing = [features for features in left if best in features]
        common.remove(best)
        if best in unread and sharing:
            continue
        if len(sharing) > MOST * len(left):
            break
        chosen.append(best)
        left = sharing
    return tuple(sorted(chosen))


def _of_values(common: set[str], lines: list[CaseLine], around: list[frozenset[str]]) -> set[str]:
    """Return the features about values that are read, and about types where the wrong elements show these.

    Nothing if more than a few conforming results have them."""
    shows_type = common_symptoms(lines) - (GENERIC.keys() - {"narrower"}) - OBSERVED
    values = common & {lines[0].dtype} if shows_type else _value_flags(common)
    values = values.difference(*(line.unread for line in lines))
    few = min((sum(name in features for features in around) for name in values), default=len(around))
    return values if few <= FEW * len(around) else set()


def _value_flags(names: Collection[str]) -> set[str]:
    return {name for name in names if _value(name) in {*HELD, "minus-zero"}}


def _value(name: str) -> str:
    return name.partition("-in-")[0]


def _common(lines: Iterable[CaseLine]) -> frozenset[str]:
    return frozenset.intersection(*{line.features for line in lines})


def locals_of(line: CaseLine) -> list[str]:
    """Return the clauses of a line by section and tag, each once."""
    return list(dict.fromkeys(address.partition("#")[2] for address in line.clauses))


def name_of(line: CaseLine) -> str:
    """Return the specification's name without version."""
    return line.spec.partition("@")[0]


def operator_of(line: CaseLine) -> str:
    """Return the part of the specification's name after the family."""
    return name_of(line).rpartition("/")[2]
