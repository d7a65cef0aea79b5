"""The measured error of functions, in units in the last place, over their inputs."""
