"""How many calls a second of a program in C are judged, through the protocol on its stdin and stdout."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from plumbline.backends import Asking, find_backend, to_request
from plumbline.backends.hosts import is_bulk
from plumbline.cases import Case
from plumbline.cases.generate.blocks import INPUTS, block
from plumbline.oracle import load_spec
from plumbline.trial.campaign.bulk import add_blocks
from plumbline.trial.campaign.tally import Tally
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import MemoryWriter
from plumbline.trial.run.session import Session

SOURCE = Path(__file__).parents[1] / "suite" / "maxpool.c"
SPEC, FORM = "sonnx/maxpool", "Y"
BLOCKS = 128
"""Of calls that the program declares, so that each is computed and judged."""


@contextmanager
def program_in_c() -> Iterator[Callable[[], int]]:
    """The worked example, compiled and started, as a work that judges `BLOCKS` blocks of calls."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "maxpool")
        subprocess.run(["cc", "-O2", "-o", program, SOURCE, "-lm"], check=True)
        host = find_backend(f"stdio:{program}").start()
        assert is_bulk(host)
        spec, asking, known, written = load_spec(SPEC), Asking(host), KnownDivergences([]), MemoryWriter()
        session = Session(host, known, written, 20.0)

        def alone(case: Case) -> CaseLine:
            session.submit(case, FORM)
            session.results.clear()
            return written.lines.pop()

        def declared(number: int) -> bool:
            call = block(SPEC, seed=0, number=number).call_at(0).asking_for(FORM)
            return asking.undeclared(to_request(spec, call, spec.opset)) is None

        chosen = list(islice(filter(declared, range(1 << 20)), BLOCKS))

        def work() -> int:
            tally = Tally()
            for number in chosen:
                add_blocks(tally, SPEC, FORM, seed=0, numbers=range(number * INPUTS, (number + 1) * INPUTS),
                           time_limit=20.0, host=host, known=known, alone=alone)
            return tally.verdicts["conforms"]

        work()  # what is enumerated once
        yield work
        host.close()
