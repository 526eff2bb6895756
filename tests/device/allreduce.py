# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All-reduce over all GPUs: right sum, and how fast."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist


def main() -> None:
    """One process per GPU, started by torch.distributed.run."""
    dist.init_process_group("nccl")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(rank)
    for mebibytes in (64, 1024):
        data = torch.full((mebibytes << 18,), float(rank + 1), device="cuda")
        dist.all_reduce(data)
        expected = ranks * (ranks + 1) / 2
        found = (data.min().item(), data.max().item())
        if found != (expected, expected):
            raise SystemExit(f"expected {expected} everywhere, found {found}")
        data.zero_()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            dist.all_reduce(data)
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - start) / 10
        busbw = (mebibytes << 20) / seconds * 2 * (ranks - 1) / ranks / 1e9
        if rank == 0:
            print(f"{mebibytes} MiB on {ranks} GPUs: busbw {busbw:.1f} GB/s", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
