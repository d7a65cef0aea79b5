"""The pictures of a finding: X with the window drawn, the outputs with the differing cells marked."""

from __future__ import annotations

from math import prod
from typing import Any

from plumbline.reports.findings import Line
from plumbline.reports.grids import Picture, Place, Tensor
from plumbline.trial.tensors import WHOLE


def input_pictures(line: Line) -> list[Picture]:
    """The inputs, with the window of the first differing element over cells and padding; of a maximum, the cells of the
    window that hold the value expected are marked as selected."""
    entry = _first(line)
    drawn = []
    for name, data in line["call"]["inputs"].items():
        tensor = Tensor(data)
        reads = (entry.get("reads") or []) if entry else []
        cells = [tuple(cell) for cell in reads if len(cell) == len(tensor.shape)]
        focus = _middle(cells)
        marked = {"window": cells, "selected": _selected(line, entry, tensor, cells)}
        drawn.append(tensor.picture(name, focus, marked, _corners(line, data["shape"], focus)))
    return [picture for picture in drawn if picture]


def output_pictures(line: Line, also_expected: bool) -> list[Picture]:
    """Each output as it should have been (if that is wanted) and as it was given, differing cells marked."""
    first = _first(line)
    focus = tuple(first["where"][0]) if first else None
    drawn = []
    for name in line["form"].split("+"):
        differs = [tuple(place) for entry in line.get("divergences", []) if entry["output"] == name
                   for place in entry.get("where", [])]
        marked = {"differs": differs, "focus": [focus] if focus in differs else []}
        drawn += [Tensor(line[which][name]).picture(f"{name} {which}", focus, marked)
                  for which in (("expected", "got") if also_expected else ("got",)) if name in line.get(which, {})]
    return [picture for picture in drawn if picture]


def printed_pictures(entry: dict[str, Any]) -> list[Picture]:
    """An output as the source prints it and as it is read, with the differing cells marked."""
    drawn = []
    for name, read in entry["read"].items():
        if not isinstance(entry["printed"].get(name), dict):
            continue
        printed, wanted = Tensor(entry["printed"][name]), Tensor(read)
        places = _places(wanted.shape) if prod(wanted.shape) <= WHOLE else []
        differs = [place for place in places if printed.at(place) != wanted.at(place)]
        drawn += [printed.picture(f"{name} as printed", None, {"differs": differs}),
                  wanted.picture(f"{name} as read", None, {"differs": differs})]
    return [picture for picture in drawn if picture]


def _first(line: Line) -> dict[str, Any] | None:
    """The first broken clause that names elements."""
    return next((entry for entry in line.get("divergences", []) if entry.get("where")), None)


def _middle(cells: list[Place]) -> Place | None:
    """The middle of a window, axis by axis."""
    return tuple(sorted(axis)[len(axis) // 2] for axis in zip(*cells, strict=True)) if cells else None


def _selected(line: Line, entry: dict[str, Any] | None, tensor: Tensor, cells: list[Place]) -> list[Place]:
    """Of a maximum: the cells of the window that hold the expected value of Y."""
    if entry is None or line["call"]["operator"] != "MaxPool" or "Y" not in line.get("expected", {}):
        return []
    wanted = Tensor(line["expected"]["Y"]).at(tuple(entry["where"][0]))
    return [cell for cell in cells if wanted not in (None, "…") and tensor.at(cell) == wanted]


def _corners(line: Line, shape: list[int], focus: Place | None) -> list[Place]:
    """The first and the last cell of the padded plane, so that a picture of X shows its padding all around."""
    pads = line["call"]["attributes"].get("pads")
    spatial = len(shape) - 2
    if focus is None or not isinstance(pads, list) or len(pads) != 2 * spatial \
            or not all(isinstance(pad, int) and 0 <= pad < 64 for pad in pads):
        return []
    begin = tuple(-pad for pad in pads[:spatial])
    end = tuple(size - 1 + pad for size, pad in zip(shape[2:], pads[spatial:], strict=True))
    return [(*focus[:2], *begin), (*focus[:2], *end)]


def _places(shape: Place) -> list[Place]:
    places: list[Place] = [()]
    for size in shape:
        places = [(*place, at) for place in places for at in range(size)]
    return places
