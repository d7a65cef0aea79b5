"""Explain words that reports print: verdicts, flags, symptoms and others."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from plumbline.cases.format.flags import all_notes as flag_notes
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle.files import read_text
from plumbline.trial.known import symptoms
from plumbline.trial.known.register import FOLDER, KnownEntry, read_known
from plumbline.trial.record.judge import VERDICTS


def meanings(word: str, folder: Path = FOLDER) -> list[str]:
    """Return lines that say what a word means, [] for an unknown word."""
    lines = [*_noted("verdict", word, cast("Mapping[str, str]", VERDICTS)), *_known(word, folder),
             *_noted("context", word, {name: each.note for name, each in contexts().items()})]
    # flags and symptoms are defined with the operators, which take seconds to read
    return lines or [*_noted("flag", word, flag_notes()), *_noted("symptom", word, symptoms.notes())]


def _noted(kind: str, word: str, notes: Mapping[str, str]) -> Iterator[str]:
    if word in notes:
        yield f"{word} ({kind})"
        yield from _indented(notes[word])


def _known(word: str, folder: Path) -> Iterator[str]:
    """Yield lines on the known divergences with an id.

    word:   the id. An entry that the files of several backends share comes once.
    folder: holds their files, BACKEND.yaml."""
    backends: dict[str, list[str]] = {}
    entries: dict[str, KnownEntry] = {}
    for path in sorted(folder.glob("*.yaml")):
        if word not in read_text(path):  # reading all of them as YAML takes seconds
            continue
        for entry in read_known(path, about=()).divergences:
            if entry.id == word:
                shown = entry.model_dump_json()
                entries[shown] = entry
                backends.setdefault(shown, []).append(path.stem)
    for shown, entry in entries.items():
        yield f"{word} (known divergence of {', '.join(backends[shown])})"
        yield from _indented(entry.reason)
        facts = {"specifications": entry.spec, "verdict": entry.verdict, "clauses": ", ".join(entry.clauses),
                 "versions": entry.versions or "all", "only where": ", ".join(entry.generated or ()),
                 "documented": entry.documented, "link": entry.link}
        yield from (f"  {name}: {text}" for name, text in facts.items() if text)


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="  ")
