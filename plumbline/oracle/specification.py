"""Find and load specifications, and judge calls and outputs by them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatch, translate
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.accuracy import FAMILY, chosen_profile, is_of_profile
from plumbline.oracle.answers import Divergence, Standing, UnspecifiedOutput, Violation
from plumbline.oracle.binding import BoundSpec, binding_problems
from plumbline.oracle.call import Call
from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Operator
from plumbline.oracle.did_you_mean import did_you_mean, near
from plumbline.oracle.discovery import SPEC_FOLDER, definition_of, folders, named_folders, reference_oracle
from plumbline.oracle.editions import chosen_edition
from plumbline.oracle.judged_calls import JudgedCalls
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.markdown import SpecText, read_front
from plumbline.oracle.safe_text import safe


def _texts() -> dict[str, SpecText]:
    """Every text on an operator, by its name without a version."""
    return _texts_below((SPEC_FOLDER, *folders()), "operator")


def general_texts() -> dict[str, SpecText]:
    """The texts on models and no operator, by name: `oracle.check` alone asks about them."""
    return _texts_below((SPEC_FOLDER, *folders()), "models")


def profiles() -> dict[str, SpecText]:
    """The accuracy profiles by name, such as ``opencl-full``."""
    return {name.removeprefix(f"{FAMILY}/"): text
            for name, text in _texts_below((SPEC_FOLDER, *folders()), "profile").items()}


def profile_named(name: str) -> SpecText:
    """Return the accuracy profile of that name. Raises SpecError, also for bounds of operators that there are not."""
    if name not in profiles():
        raise SpecError(f"no accuracy profile is called {name!r}{did_you_mean(name, profiles())}; there are "
                        f"{', '.join(profiles())}")
    profile = profiles()[name]
    foreign = [bound.function for bound in profile.bounds.values() if bound.function not in _small_names()]
    if foreign:
        raise SpecError(f"{profile.path}:1: bounds names {foreign[0]}, which is not an operator"
                        f"{did_you_mean(foreign[0], _small_names())}")
    return profile


def _small_names() -> Collection[str]:
    """The operators that a bound may be about, in small letters."""
    return _of_onnx() | {operator.lower() for operator in operators()}


@cache
def _of_onnx() -> frozenset[str]:
    from onnx import defs  # which takes long, and only profiles need
    return frozenset(schema.name.lower() for schema in defs.get_all_schemas())


@cache
def _texts_below(places: tuple[Path, ...], kind: str) -> dict[str, SpecText]:
    return {name: text for name, text in _all_below(places).items() if text.kind == kind}


@cache
def _all_below(places: tuple[Path, ...]) -> dict[str, SpecText]:
    texts: dict[str, SpecText] = {}
    for folder, path in ((place, path) for place in places for path in sorted(place.glob("*/*.md"))):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name in texts:
            raise SpecError(f"{path}:1: there is a text {name} already, {texts[name].path}; name this one otherwise")
        texts[name] = read_front(path)
        if texts[name].front["specification"] != name:
            raise SpecError(f"{path}:1: the file is named {name}, its front matter says "
                            f"{texts[name].front['specification']}")
        if (texts[name].kind == "profile") is not is_of_profile(name):
            raise SpecError(f"{path}:1: accuracy profiles, which have `bounds`, and no other text stand in {FAMILY}/")
    return texts


def spec_names() -> list[str]:
    """The names that `load_spec` takes: ``family/operator``, with ``@version`` where a text changes with the opset."""
    return list(_names((SPEC_FOLDER, *folders())))


@cache
def _names(places: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(f"{name}@{version}" if version else name for name, text in _texts_below(places, "operator").items()
                 for version in text.versions or ("",))


def text_path(name: str) -> Path:
    """The file of a specification, by its name with or without a version. Raises KeyError."""
    return _texts()[name.partition("@")[0]].path


def pages_of(name: str) -> tuple[Path, ...]:
    """The files that state a specification, by its name with or without a version. Raises KeyError."""
    return _texts()[name.partition("@")[0]].pages


def outputs_of(name: str) -> list[str]:
    """The outputs of a specification, those of all its versions, by its name. Raises KeyError."""
    return list(_texts()[name.partition("@")[0]].front["outputs"])


def operator_of(name: str) -> tuple[str | None, str]:
    """The domain and the operator that a specification is about, by its name; see `BoundSpec`. Raises KeyError.

    The text is read no further than to its front matter."""
    front = _texts()[name.partition("@")[0]].front
    return front.get("domain", ""), str(front["operator"])


def operators() -> dict[str, list[str]]:
    """The names of the specifications of each operator."""
    names: dict[str, list[str]] = {}
    texts = _texts()
    for name in spec_names():
        names.setdefault(texts[name.partition("@")[0]].front["operator"], []).append(name)
    return names


def definitions(names: Collection[str] | None = None) -> list[tuple[SpecText, type[Operator]]]:
    """Every text, or those of some names without a version, with its definition.

    None is read further for it than to its front matter."""
    return [(text, _definition(name, text)) for name, text in _texts().items() if names is None or name in names]


def family_of(name: str) -> str:
    """The family of the operator of a specification named without version, "" where there is none of that name."""
    text = _texts().get(name)
    return _definition(name, text).family if text else ""


def matches(name: str, pattern: str) -> bool:
    """Return True if a pattern names a specification: ``onnx/*``. Without a version it names all versions.

    Commas separate alternatives: ``onnx/relu@14,sonnx/*``."""
    return any(fnmatch(name, part) or "@" not in part and fnmatch(name.partition("@")[0], part)
               for part in pattern.split(","))


def names_matching(pattern: str) -> list[str]:
    """The names of specifications that a pattern such as ``onnx/*`` names."""
    return list(_matching((SPEC_FOLDER, *folders()), pattern))


@cache
def _matching(places: tuple[Path, ...], pattern: str) -> tuple[str, ...]:
    names, matched = _names(places), re.compile(translate(pattern)).match
    return tuple(name for name in names
                 if matched(name) or "@" not in pattern and matched(name.partition("@")[0]))


def texts_named(pattern: str) -> list[SpecText]:
    """The texts whose names, without a version, match a pattern such as ``onnx/*``. Raises SpecError for none."""
    chosen = [text for name, text in _texts().items() if fnmatch(name, pattern)]
    if not chosen:
        raise SpecError(f"no specification is called {pattern!r}; {there_are(pattern)}")
    return chosen


def specs_named(name: str) -> list[Spec]:
    """The specification of that name; of a text with versions, all of them where the name has none. Raises
    SpecError."""
    return [load_spec(known) for known in spec_names() if known.partition("@")[0] == name] or [load_spec(name)]


def load_spec(name: str, release: str | None = None) -> Spec:
    """The specification of that name, as a release of ONNX reads it.

    By default that is the release that PLUMBLINE_EDITION names; with "" all published editions count. The accuracy
    profile that PLUMBLINE_ACCURACY names adds its clauses on the operator. Raises SpecError when there is none, or text
    and predicates do not match."""
    return _loaded(name, named_folders(), chosen_edition() if release is None else release, chosen_profile())


@cache
def _loaded(name: str, _: str, release: str, profile: str) -> Spec:
    """Return a specification; `release` of ONNX decides where editions differ, `profile` bounds errors ("": none)."""
    if name not in spec_names():
        versions = [known for known in spec_names() if known.partition("@")[0] == name]
        raise SpecError(f"{name} has several versions; name one of {', '.join(versions)}" if versions else
                        f"no specification is called {name!r}; {there_are(name)}")
    unversioned, at, version = name.partition("@")
    text = _texts()[unversioned]
    definition = _definition(unversioned, text)
    reference_oracle(unversioned, text.path, text.module)
    problems = binding_problems(text, definition)
    if problems:
        raise SpecError("; ".join(problems))
    return Spec(text.at(int(version)) if at else text, definition, release,
                profile_named(profile) if profile else None)


def _definition(name: str, text: SpecText) -> type[Operator]:
    """The definition of a text, which knows the facts that the front matter lists."""
    definition = definition_of(name, text.path, text.module)
    if definition.facts is not text.facts:
        definition.read_facts(text.facts, {formula.output: formula for formula in text.shapes.values()})
    return definition


def there_are(name: str) -> str:
    """Suggest specifications instead of an unknown one: those of nearly that name, and where all are listed."""
    close = near(name.lower(), [*_texts(), *spec_names()], 3) if "/" in name else _about(name.lower())[:3]
    meant = f"did you mean {', '.join(close)}? " if close else ""
    return f"{meant}plumbline list shows all {len(spec_names())}"


def _about(operator: str) -> list[str]:
    """The texts about an operator of nearly that name, which may have a version: ``layernorm``, ``maxpool@22``."""
    word, at, version = operator.partition("@")
    texts: dict[str, list[str]] = {}
    for text in sorted(_texts(), key=lambda text: (not text.startswith("onnx/"), not text.startswith("sonnx/"))):
        texts.setdefault(text.rpartition("/")[2], []).append(text)
    close = [text for each in near(word, texts, 3) for text in texts[each]]
    exact = [f"{text}@{version}" for text in close if f"{text}@{version}" in spec_names()] if at else []
    return exact or close


def reference_expected(name: str, call: Call) -> dict[str, np.ndarray]:
    """Return all outputs of a valid call, by the reference oracle of the specification of that name; where the
    text leaves an element open, one choice. Raises SpecError for an answer that is none."""
    unversioned, at, version = name.partition("@")
    slow = reference_oracle(unversioned, _texts()[unversioned].path, _texts()[unversioned].module)
    answer = slow(call, int(version)) if at else slow(call)
    if not isinstance(answer, dict) or not all(isinstance(answer.get(output), np.ndarray | np.generic)
                                               for output in load_spec(name).asked(call)):
        raise SpecError(f"{text_path(name).with_suffix('.py')}: its reference oracle gives {safe(str(answer))[:80]}; "
                        "it gives an array for each output")
    return answer


class Spec(BoundSpec):
    """A specification that judges calls and their outputs."""

    recent: ClassVar = JudgedCalls()
    """The calls that any specification was asked about last."""

    def judged(self, call: Call) -> JudgedCall:
        """The call under this specification, for several questions about the same call; its arrays must not change
        between them. The methods below ask one question each.

        The calls asked about last are read once for all their output selections and every specification."""
        return self.recent.under(self, call)

    @classmethod
    def release(cls) -> None:
        """Drop the calls that specifications were asked about last, which may be large."""
        cls.recent.clear()

    def violations(self, call: Call) -> list[Violation]:
        """The clauses of the call that it breaks, in the order of the text; [] inside the domain. Raises OutsideDomain
        for what is not a call of the operator at all."""
        return self.judged(call).violations

    def clause_by_clause(self, call: Call) -> list[Standing]:
        """Return the state of each clause on calls, in order, for a call that may be known in part. Raises
        OutsideDomain for what is not a call of the operator at all."""
        return self.judged(call).standings

    def unspecified(self, call: Call) -> dict[str, UnspecifiedOutput]:
        """Return by output the U clauses that apply and the elements they open, {} if there are none. Raises
        OutsideDomain."""
        return self.judged(call).unspecified

    def unspecified_clauses(self, call: Call) -> tuple[str, ...]:
        """The U clauses that apply to a call, whether or not they open elements of it. Raises OutsideDomain."""
        return self.judged(call).unspecified_clauses

    def may_refuse(self, call: Call) -> tuple[str, ...]:
        """The U clauses that leave open whether the call is inside the domain: where there are any, an implementation
        that refuses it breaks nothing. Raises OutsideDomain."""
        return self.judged(call).may_refuse

    def expected(self, call: Call) -> dict[str, np.ndarray]:
        """The canonical outputs, of those asked for. Raises OutsideDomain."""
        return self.judged(call).expected

    def divergences(self, call: Call, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """The clauses on outputs that `outputs` break, in the order of the text; [] when they conform.

        Only the outputs asked for are judged, and of these not what a U clause opens. Raises OutsideDomain."""
        return self.judged(call).divergences(outputs)

    def measures(self, call: Call, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Figures about outputs that change no verdict, such as the largest error in ulp; {} where there are none."""
        return self.judged(call).measures(outputs)

    def tolerance(self, call: Call) -> dict[str, float]:
        """By output, a distance from `expected` within which every conforming value lies (wrong ones may too); 0 where
        the comparison is exact. Raises OutsideDomain."""
        return self.judged(call).tolerance

    def alternatives(self, call: Call) -> dict[str, np.ndarray]:
        """By output, where more than one value conforms though no U clause leaves it open: the index of either of two
        equal maxima, where the text does not choose. bool arrays; rounding apart. Raises OutsideDomain."""
        return self.judged(call).alternatives

    def receptive_field(self, call: Call, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """By input, the cells, int (n, rank), that the element of an output at `where` is computed from, padding cells
        (which lie outside the input) included; {} when the definition does not say. Raises OutsideDomain."""
        return self.judged(call).receptive_field(output, where)

    def native_attributes(self, call: Call) -> dict[str, Any]:
        """The attributes of a call in the specification's own words: ONNX's, unless it has others."""
        return self.judged(call).definition.native_attributes()
