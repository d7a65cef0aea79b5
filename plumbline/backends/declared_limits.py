"""Submit requests with declared limits, and split failing batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from plumbline.backends.capabilities import (
    Capability,
    declared_accuracy,
    entries_about,
    read_capabilities,
    undeclared,
)
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.outcomes import Answered, Failed, Hung, Outcome, Raised, in_words
from plumbline.backends.request import Request


@dataclass(eq=False)
class Asking:
    """A host with its declared capabilities.

    batch:  how many calls are submitted at once.
    before: the call submitted last, None before the first.
    unsteady: operators that answered a call in two ways; `spent`: seconds for fresh processes because of that.

    Raises CapabilityError for a declaration that cannot be read."""

    host: Host
    batch: int = field(init=False)
    before: Request | None = field(init=False, default=None)
    unsteady: set[str] = field(init=False, default_factory=set)
    spent: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.batch = self.host.identity.batch
        self._capabilities = read_capabilities(self.host.identity.capabilities)
        self._of_operator: dict[str, list[Capability]] = {}

    def undeclared(self, request: Request) -> str | None:
        """Return the declared limit that a request exceeds, or None."""
        return undeclared(self._entries(request), self.host.identity.version, request)

    def is_named(self, operator: str) -> bool:
        """Return whether some entry is about an operator; where none is, the backend is asked."""
        return self._capabilities is None or bool(entries_about(self._capabilities, operator))

    def _entries(self, request: Request) -> list[Capability] | None:
        """Return the entries on a request's operator, or else all."""
        if self._capabilities is None:
            return None
        if request.operator not in self._of_operator:
            about = entries_about(self._capabilities, request.operator)
            self._of_operator[request.operator] = about or self._capabilities
        return self._of_operator[request.operator]

    def submit(self, requests: Sequence[Request]) -> list[Outcome]:
        """Run one or more requests as a batch; return their outcomes.

        The outcomes of calls outside the declared capabilities say so, others have the declared accuracy.
        If a batch fails as a whole and no call of it fails alone, later batches are smaller."""
        whole = self._whole(requests)
        self.before = requests[-1]
        outcomes = whole if isinstance(whole, list) else self._halves(requests)
        if not isinstance(whole, list) and not any(type(outcome) is type(whole) for outcome in outcomes):
            self.batch = len(requests) // 2 if isinstance(whole, Hung) else 1
            self.host.notes.append(f"a batch of {len(requests)} calls failed, though none of them fails alone: "
                                   f"{in_words(whole)}; after it batches had at most {self.batch} calls")
        return [self._declared(request, outcome) for request, outcome in zip(requests, outcomes, strict=True)]

    def _whole(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        try:
            return [self.host.run(requests[0])] if len(requests) == 1 else self.host.run_many(requests)
        except StartError as error:
            failed = Failed(f"the worker did not start again: {error}")
            return [failed] if len(requests) == 1 else failed

    def _halves(self, requests: Sequence[Request]) -> list[Outcome]:
        """Run halves, until the failing call is alone."""
        outcomes: list[Outcome] = []
        for part in (requests[:len(requests) // 2], requests[len(requests) // 2:]):
            whole = self._whole(part)
            outcomes += whole if isinstance(whole, list) else self._halves(part)
        return outcomes

    def _declared(self, request: Request, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, (Answered, Raised)):
            return outcome
        asked = isinstance(outcome, Answered) and not self.is_named(request.operator)
        gaps = [gap for gap in (None if asked else self.undeclared(request), outcome.gap) if gap]
        outcome = replace(outcome, gap="; ".join(gaps) or None)
        accuracy = declared_accuracy(self._entries(request), self.host.identity.version, request)
        return replace(outcome, accuracy=accuracy) if isinstance(outcome, Answered) else outcome
