"""Tables of clause addresses that SONNX's specifications share, with predicates."""

UNARY = {"signature.F1": "given", "Y.C1": "shape"}
ARITHMETIC = {"C.C2": "type_of_c", "float.C.F2": "special", "float.C.F1": "any_float", "int.C.F1": "any_integer",
              "float.C.U1": "bits", "restrictions.E2": "index"}
PAIR = {"signature.F1": "given", "signature.C1": "no_attribute", "restrictions.R1": "one_shape", "A.C2": "one_type",
        "A.C3": "types_of_a", "C.C1": "shape", "restrictions.E1": "restriction"}
PROFILE = {"signature.C1": "no_attribute", "X.C2": "types_of_x", "Y.C2": "type_of_y", "X.E9": "index",
           "Y.F2": "nan_for_nan", "Y.U2": "bits"}
APPROXIMATED = {"Y.F3": "at_known_numbers", "Y.F4": "in_range", "Y.F1": "any_other", "Y.U1": "accuracy"}
MAXIMA = {"Indices.C1": "shape_of_indices", "Y.F1": "maximum_otherwise"}
