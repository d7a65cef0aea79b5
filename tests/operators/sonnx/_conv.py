"""Faults of Conv under ONNX's text that calls in the profile can show, with the clauses that they break there."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import _convolution_blocks, _convolution_contexts, _convolution_sizes
from tests.operators.onnx import conv as onnx

SHOWN = (
    onnx.IgnoresStrides, onnx.StridesExchanged, onnx.OneStrideForAll, onnx.WindowsStepByOne, onnx.IgnoresDilations,
    onnx.DilationsExchanged, onnx.OneDilationForAll, onnx.GapsForgotten, onnx.RoundsUp, onnx.LastWindowDropped,
    onnx.IgnoresPads, onnx.PadsExchanged, onnx.PadsInTurns, onnx.PadsExchangedByAxis, onnx.PadsAreSymmetric,
    onnx.PaddingIsOne, onnx.PaddingRepeatsTheEdge, onnx.PadOfAnAxisTwice, onnx.ChannelsOfTheFirstGroup,
    onnx.KernelsOfTheFirstGroup, onnx.LastGroupLeftOut, onnx.Turned, onnx.TurnedOnTheLastAxis, onnx.TransposedSquare,
    onnx.LastCellLeftOut, onnx.KernelsOffTheBlock, onnx.MapsAndChannelsExchanged, onnx.ChannelsOffFour,
    onnx.ChannelsOffEight, onnx.ChannelsOffSixteen, onnx.MapsOffFour, onnx.MapsOffEight, onnx.ColumnsOffFour,
    onnx.ColumnsOffEight, onnx.RowsOffThePair, onnx.TileOffTheEdge, onnx.BatchesRepeatTheFirst, onnx.BatchesOffTheBlock,
    onnx.ForgetsTheBias, onnx.BiasOfTheFirstMap, onnx.BiasFromTheEnd, onnx.BiasInEachGroup, onnx.BiasOfTheFirstBatch,
    onnx.BiasInEachChannel, onnx.NoBiasInThePadding, onnx.PointwiseWithoutPads, onnx.PointwiseWithoutStrides,
    onnx.DepthwiseWithoutDilation, onnx.RefusesLargePads, onnx.SwallowsNan, onnx.InfinityIsLargest, onnx.SkipsZeros,
    onnx.NanSpreads, onnx.Float64InFloat32, onnx.Float32InBfloat16, onnx.Float32InFloat16, onnx.Saturates,
    onnx.FlushesSubnormals, onnx.NeverNegative, onnx.RoundsToIntegers, onnx.AbsoluteValues, onnx.HalfBecomesFloat,
    onnx.OtherName, onnx.ChannelsLast, onnx.MapsOfOneGroup, onnx.KernelsOfTheFirstCall)

SHELVES = (_convolution_blocks, _convolution_sizes, _convolution_contexts)

OUTSIDE = ("GroupsOfWholeBlocks", "MultipliersTakeTurns", "BfloatInHalf", "OpenSizesPlanForOthers")
"""Of those shelves what calls in the profile do not show."""


def restated(module, clauses):
    """The same faults as classes of a module, by name. `clauses`: by a clause of ONNX's text those of the other, where
    they differ."""
    found = {}
    for known in SHOWN:
        breaks = tuple(dict.fromkeys(other for clause in known.breaks for other in clauses.get(clause, (clause,))))
        inside = {"breaks": breaks, "__doc__": known.__doc__, "__module__": module}
        found[known.__name__] = type(known.__name__, (known,), inside)
    for shelf in SHELVES:
        found.update(under(shelf, module, clauses, OUTSIDE))
    return found
