"""How a backend is asked: what it declares is held against each request, and a batch that fails is split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from plumbline.backends.capabilities import Capability, declared_accuracy, read_capabilities, undeclared
from plumbline.backends.hosts import Host, StartError
from plumbline.backends.outcomes import Answered, Failed, Hung, Outcome, Raised, in_words
from plumbline.backends.request import Request


@dataclass(eq=False)
class Asking:
    """A host that is asked, at most `batch` calls at once. Raises CapabilityError when it declares what cannot be
    read."""

    host: Host
    batch: int = field(init=False)

    def __post_init__(self) -> None:
        self.batch = self.host.identity.get("batch", 1)
        self._capabilities = read_capabilities(self.host.identity.get("capabilities"))
        self._of_operator: dict[str, list[Capability]] = {}

    def undeclared(self, request: Request) -> str | None:
        """The limit of the declared data that a request exceeds, None when it keeps them."""
        return undeclared(self._entries(request), self.host.identity["version"], request)

    def _entries(self, request: Request) -> list[Capability] | None:
        """The entries on the operator of a request; all of them where none is."""
        if self._capabilities is None:
            return None
        if request.operator not in self._of_operator:
            about = [entry for entry in self._capabilities
                     if entry.operators is None or request.operator in entry.operators]
            self._of_operator[request.operator] = about or self._capabilities
        return self._of_operator[request.operator]

    def submit(self, requests: Sequence[Request]) -> list[Outcome]:
        """One outcome for each request; its gap is what the data and what `gap` declare, its accuracy what the data do.

        A batch that fails for none of its calls shows that the backend takes none, or none so large."""
        whole = self._whole(requests)
        found = whole if isinstance(whole, list) else self._halves(requests)
        if not isinstance(whole, list) and not any(type(outcome) is type(whole) for outcome in found):
            self.batch = len(requests) // 2 if isinstance(whole, Hung) else 1
            self.host.notes.append(f"a batch of {len(requests)} calls failed, which none of them does alone: "
                                   f"{in_words(whole)}; from there on at most {self.batch} were put at once")
        return [self._declared(request, outcome) for request, outcome in zip(requests, found, strict=True)]

    def _whole(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        try:
            return [self.host.run(requests[0])] if len(requests) == 1 else self.host.run_many(requests)
        except StartError as error:
            failed = Failed(f"the worker did not start again: {error}")
            return [failed] if len(requests) == 1 else failed

    def _halves(self, requests: Sequence[Request]) -> list[Outcome]:
        """Each half at once, or its halves, until the call that fails stands alone."""
        found: list[Outcome] = []
        for part in (requests[:len(requests) // 2], requests[len(requests) // 2:]):
            whole = self._whole(part)
            found += whole if isinstance(whole, list) else self._halves(part)
        return found

    def _declared(self, request: Request, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, (Answered, Raised)):
            return outcome
        gaps = [gap for gap in (self.undeclared(request), outcome.gap) if gap]
        outcome = replace(outcome, gap="; ".join(gaps) or None)
        accuracy = declared_accuracy(self._entries(request), self.host.identity["version"], request)
        return replace(outcome, accuracy=accuracy) if isinstance(outcome, Answered) else outcome
