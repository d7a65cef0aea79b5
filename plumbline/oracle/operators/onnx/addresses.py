"""Tables of clause addresses that ONNX's specifications share, with predicates."""

MAXIMA = {"Indices.C1": "shape_of_indices", "Y.U3": "nan", "auto_pad.F1": "maximum_with_automatic_padding",
          "Y.F1": "maximum_otherwise"}
CEIL_MODE = {"ceil_mode.C1": "ceil_mode_type", "ceil_mode.U1": "other_ceil_modes"}
WINDOWS = {"auto_pad.C1": "auto_pad_domain", "X.C1": "spatial_axes", "strides.C1": "strides_domain",
           "dilations.C1": "dilations_domain", "pads.C2": "pads_domain", "pads.C3": "not_with_auto_pad",
           "strides.C2": "strides_length", "dilations.C2": "dilations_length", "pads.C1": "pads_length",
           "Y.C1": "y_floor", "auto_pad.U1": "negative_padding"}
CONVOLVED = {
    "auto_pad.C2": "auto_pad_domain", "auto_pad.F1": "automatic_padding", "auto_pad.U1": "negative_padding",
    "dilations.C2": "dilations_domain", "dilations.C3": "dilations_length", "group.C2": "group_domain",
    "group.C3": "maps_of_groups", "kernel_shape.C2": "kernel_of_w", "pads.C2": "pads_length", "pads.C3": "pads_domain",
    "pads.C4": "not_with_auto_pad", "strides.C2": "strides_domain", "strides.C3": "strides_length",
    "X.U1": "empty_axes", "Y.C5": "y_planes", "Y.U1": "no_window_fits"}
"""Of ConvInteger and ConvTranspose, whose attributes have facts of the schema as their first clauses."""

SUMMED = {"auto_pad.U2": "size_with_strides", "dilations.U1": "not_finite_under_a_gap", "Y.U2": "not_finite",
          "Y.U3": "overflow", "Y.U4": "fast_algorithms"}
POOLED = {"signature.C1": "attributes_of_the_version", "signature.F1": "missing", "Y.F2": "y_type",
          "kernel_shape.C1": "kernel_domain", "kernel_shape.C2": "kernel_length", "Y.C2": "y_ceil", "Y.C4": "y_valid",
          "Y.C5": "y_same", "Y.F3": "y_planes", "X.U1": "empty_axes", "Y.U1": "no_window_fits"}
ARITHMETIC = {"C.F3": "infinities", "C.F1": "any_other", "C.U1": "overflow_of_integers",
              "C.U2": "overflow_of_floats", "C.U3": "not_a_number", "C.U4": "sign_of_zero"}
BROADCAST = {"B.C4": "together", "C.C2": "shape_of_both"}
LIMITED = {"C.C1": "shape_of_a", "axis.C1": "place_of_b", "B.C2": "equal_shapes", "B.C3": "run_of_a",
           "broadcast.U1": "other_broadcast"}
TRUTH = BROADCAST | {"C.F1": "any_other"}
COMPARISON = TRUTH | {"C.U1": "nan"}
TUPLES = {"data.C3": "has_an_axis", "indices.C2": "has_tuples"}
ALONG_AXIS = {"data.C3": "has_an_axis", "axis.C2": "axis_from_either_end"}
ELEMENT_INDICES = ALONG_AXIS | {"indices.C2": "same_rank", "indices.C3": "places_of_data",
                                "indices.C4": "within_bounds"}
SCATTERING = {"reduction.C2": "known_reduction", "output.U2": "duplicates", "output.U3": "no_arithmetic",
              "output.U4": "overflow_of_integers", "output.U5": "not_finite", "output.U6": "overflow",
              "output.U7": "underflow", "output.U8": "nan"}
LAST_WINDOW = {"Y.C3": "y_last_window", "Y.U4": "more_windows_in_the_padding"}
EXACT = {"Y.F1": "any_other", "Y.U2": "nan", "Y.U3": "zeros"}
APPROXIMATED = {"Y.F3": "at_known_numbers", "Y.F4": "in_range", "Y.F1": "any_other", "Y.U1": "accuracy"}
WITH_ZEROS = {"Y.U3": "zeros", "Y.U2": "nan"} | APPROXIMATED
BY_BODY = {"Y.F2": "any_other", "Y.U1": "undecided"}
CIRCULAR = {"output.F3": "at_known_numbers", "output.F4": "in_range", "output.F2": "any_other",
            "output.U1": "accuracy", "output.U2": "not_finite"}
PLANES = {"signature.C1": "no_attribute", "X.C2": "types_1", "X.C3": "types_22", "signature.F1": "missing",
          "Y.C3": "y_type", "X.C1": "spatial_axes", "Y.C1": "batch_and_channel", "Y.C2": "spatial_sizes",
          "X.U1": "empty_axes", "Y.F1": "y_value"}
EXTREMA = {"data.C6": "one_shape", "data.C7": "together"}
OF_EXTREMUM = {"C1": "shape_of_each", "C2": "shape_of_all", "F1": "any_other", "U1": "nan", "U2": "zeros"}
"""Of the output of Max and Min."""

OF_SUM = {"C1": "shape_of_each", "C2": "shape_of_all", "F1": "any_other", "U1": "not_finite", "U2": "overflow"}
"""Of the output of Sum."""

REDUCTION = {"reduced.C1": "shape", "reduced.F1": "any_other", "axes.C1": "from_the_front",
             "axes.C2": "from_either_end", "axes.C3": "one_axis", "axes.U1": "axis_twice", "axes.U2": "empty_list",
             "keepdims.U1": "other_keepdims", "noop_with_empty_axes.U1": "other_noop",
             "reduced.U1": "undefined_of_nothing", "data.U1": "rank_zero"}
SUMS = {"reduced.U2": "overflow_of_integers", "reduced.U3": "not_finite", "reduced.U4": "overflow"}
MEAN = REDUCTION | SUMS
OF_NOTHING = {"reduced.F3": "empty_set"} | REDUCTION
TOTAL = OF_NOTHING | SUMS
COMPOSITE = TOTAL | {"reduced.E1": "identity"}
NORM = COMPOSITE | {"reduced.U5": "underflow", "reduced.U6": "scaled"}
PRODUCT = TOTAL | {"reduced.U5": "underflow"}
EXTREMUM = OF_NOTHING | {"reduced.U2": "nan"}
LOG_SUM_EXP = OF_NOTHING | {"reduced.E1": "identity", "reduced.U2": "accuracy", "reduced.U3": "below_zero",
                            "reduced.U4": "not_finite", "reduced.U5": "overflow", "reduced.U7": "integers_of_nothing"}
LOG_SUM = {"reduced.F5": "all_below_zero"} | LOG_SUM_EXP | {"reduced.U6": "overflow_of_integers"}

CASTS = {"saturate.C2": "saturate_domain", "round_mode.C2": "round_mode_domain",
         "output.F3": "to_float8", "output.F4": "to_e8m0", "output.F5": "to_bool", "output.F1": "any_other",
         "output.U1": "rounding", "output.U2": "integers_out_of_range", "output.U3": "ranges", "output.U4": "float4",
         "output.U5": "zeros", "output.U6": "infinite_fnuz", "output.U7": "other_powers",
         "output.U8": "other_sources"}
"""Of Cast; CastLike has them but for `ranges`."""

RECURRENT = {"direction.C3": "direction_domain", "hidden_size.C2": "neurons", "activations.C2": "known_functions",
             "activations.C3": "number_of_functions", "X.C3": "axes_of_x", "sequence_lens.C3": "lengths_domain",
             "Y.C1": "shape_of_y", "Y.F2": "value_of_y", "Y_h.C1": "shape_of_y_h", "Y_h.F2": "value_of_y_h",
             "W.C1": "shape_of_w", "R.C1": "shape_of_r", "B.C1": "shape_of_b", "initial_h.C2": "shape_of_initial_h",
             "sequence_lens.C2": "shape_of_lengths", "sequence_lens.U1": "after_the_end", "sequence_lens.U2": "no_step",
             "layout.C2": "layout_domain", "X.U1": "empty_axes", "hidden_size.U1": "no_hidden_size",
             "clip.U1": "no_range", "activation_alpha.U1": "consumed", "activation_alpha.U2": "no_default",
             "direction.U1": "order_of_y", "R.U1": "transposition",
             "R.E1": "untransposed_r", "Y.U1": "not_finite", "Y.U2": "says_nothing"}

REQUANTISED = {"Y.F2": "value", "Y.U3": "precision", "Y.U4": "out_of_range"}

QUOTIENTS = {"F1": "any_other", "U1": "not_finite", "U2": "overflow"}
STANDARDISED = QUOTIENTS | {"U3": "variance_by_squares"}
"""Of the output that is standardised."""

OF_RUNS = {"axis.C2": "axis_of_x", "stash_type.C2": "stash", **{f"Y.{tag}": name for tag, name in QUOTIENTS.items()}}
MOMENTS = {"Y.U3": "variance_by_squares", "Mean.C1": "shape_of_mean", "Mean.F1": "mean", "Mean.U1": "undefined_moments",
           "InvStdDev.F1": "root", "InvStdDev.U1": "root_by_squares"}

SLOPED = {"Y.F5": "zeros_kept", "Y.F4": "infinite", "Y.U1": "not_a_number", "Y.U2": "zeros", "Y.U3": "overflow"}
"""Of LeakyRelu and PRelu."""
