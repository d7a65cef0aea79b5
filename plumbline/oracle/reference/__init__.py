"""The reference oracles: formulas transcribed literally, with plain loops over Python numbers.

They share nothing with the fast ones but the call, so that a mistake in either shows as a disagreement. Each module
holds `expected`, from a call inside the domain (and the version, of a text that has versions) to all outputs;
`oracle.specification.reference_expected` finds it.
"""
