"""Check the nodes of a model against specifications, and propose repairs.

    plumbline check MODEL.onnx [--spec GLOB ...] [--json] [--allow-undecided]

A clause is decided only when it cannot depend on what the model leaves unknown (see `oracle.partial`); else it is
undecided, neither kept nor broken. Exit status: 0 every node is inside; 1 some node breaks a clause; 2 the model cannot
be read, or has no node to check; 3 no node breaks a clause and some node is undecided, or has no specification where a
whole family was asked for, as it is without --spec (0 with --allow-undecided).

`--json` prints one object; its keys stay:

    model, opset, status        the file, the version of ONNX's operators it imports, the exit status
    notes                       what limits the reading, and which specifications do not apply, one line each
    specs[]                     spec; nodes, inside, breaks, undecided (counts of nodes);
                                broken, open (clause to the number of nodes that break it, or leave it undecided)
    nodes[]                     one for each node and specification: spec, name, place, operator, domain, opset,
                                x (the first input: dtype and shape; null, or a symbol, where unknown),
                                inputs (the same of each input by its name),
                                standing ("inside", "breaks" or "undecided"), and
        malformed               why it makes no call of the operator at all; null for nearly all nodes
        broken[]                clause, why, restates (a clause or null), repair (null where nothing helps)
        undecided[]             clause, depends_on
        repair                  all repairs at once; null where there is nothing to repair or nothing helps
    unspecified                 operators without a specification to their number of nodes, Constant apart; unless a
                                whole family was asked for, those alone at whose opset no version is in force
    model_clauses[]             one for each text of no operator: spec, standing of the model, and broken[], undecided[]
                                as above, without repairs
    a repair                    steps (what to do, in words), keeps_meaning, changes (what of the meaning changes, or
                                why that cannot be told), and attributes, dtype, shape, standing of the node after it
"""

from plumbline.oracle.check.judging import Finding, Report, check
from plumbline.oracle.check.model_file import ModelError
from plumbline.oracle.check.presentation import as_json, as_text

__all__ = ["Finding", "ModelError", "Report", "as_json", "as_text", "check"]
