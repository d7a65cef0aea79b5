"""Milliseconds of max_pool2d with indices, as JSON. Run by `tests.bench.kernels` in an environment with PyTorch."""

import json
import statistics
import sys
import time

import torch
from torch.nn import functional


def main():
    """For each shape of the first argument, the median of five rounds."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    found = {}
    for name, (shape, kernel, stride, times) in json.loads(sys.argv[1]).items():
        x, rounds = torch.randn(*shape), []
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(times):
                functional.max_pool2d(x, kernel, stride, return_indices=True)
            rounds.append(1000 * (time.perf_counter() - began) / times)
        found[name] = statistics.median(rounds)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
