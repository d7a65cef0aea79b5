"""Known divergences: registers, symptoms, root causes."""
