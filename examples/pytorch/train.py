#!/usr/bin/env python3
"""Trains a small network on made-up data and prints how well it does: `train.py ARM --split N --seed N`.

On a GPU if one is visible (FIESTA sets CUDA_VISIBLE_DEVICES for every job), else on one core of the processor. What is learned so far is saved
in the directory $FIESTA_CHECKPOINT, if there is one: an evaluation that was killed goes on from there.
"""

import argparse
import json
import os
import time
from pathlib import Path

import torch

ARMS = {
    "linear": [],
    "narrow": [16],
    "wide": [256],
    "deep": [64, 64, 64],
}


def data(split, rows, device):
    """Two classes that no straight line parts: which side of a wavy surface a point is on, a tenth of them wrong."""
    generator = torch.Generator().manual_seed(split)
    x = torch.randn(rows, 8, generator=generator)
    above = (x[:, 0] + torch.sin(2 * x[:, 1]) + x[:, 2] * x[:, 3] > 0).float()
    wrong = (torch.rand(rows, generator=generator) < 0.1).float()
    return x.to(device), ((above + wrong) % 2).to(device)


def network(hidden):
    sizes = [8, *hidden]
    layers = []
    for before, after in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], 1))


def saved(directory):
    """The file of the latest checkpoint; none outside of a study."""
    return Path(directory) / "checkpoint.pt" if directory else None


def save(file, step, model, optimizer):
    # In two steps: whoever is killed in between leaves the earlier checkpoint whole.
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file.with_suffix(".new"))
    os.replace(file.with_suffix(".new"), file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arm", choices=ARMS)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--save-every", type=int, default=50, metavar="STEPS")
    parser.add_argument("--hold", type=int, default=0, metavar="MIB", help="take so much memory of the GPU beside")
    parser.add_argument("--seconds", type=float, default=0.0, help="take at least so long")
    arguments = parser.parse_args()

    began = time.monotonic()
    torch.manual_seed(arguments.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu":
        torch.set_num_threads(1)  # as many jobs as cores, and no job in the way of another
    held = torch.zeros(arguments.hold << 20, dtype=torch.uint8, device=device)
    x, y = data(arguments.split, 2000, device)
    train, test = slice(0, 1500), slice(1500, None)
    model = network(ARMS[arguments.arm]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    checkpoint, step = saved(os.environ.get("FIESTA_CHECKPOINT")), 0
    if checkpoint and checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        print(f"goes on at step {step}", flush=True)
    resumed_at = step
    while step < arguments.steps or time.monotonic() - began < arguments.seconds:
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x[train]).squeeze(1), y[train])
        optimizer.zero_grad()
        loss.backward()
        # Who waits longer does not train longer.
        if step < arguments.steps:
            optimizer.step()
        step += 1
        if checkpoint and step % arguments.save_every == 0 and step < arguments.steps:
            save(checkpoint, step, model, optimizer)
    with torch.no_grad():
        accuracy = ((model(x[test]).squeeze(1) > 0).float() == y[test]).float().mean().item()
    print(json.dumps({
        "accuracy": round(accuracy, 4),
        "resumed_at": resumed_at,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "peak_mib": torch.cuda.max_memory_allocated(device) >> 20 if device.type == "cuda" else held.numel() >> 20,
    }))


if __name__ == "__main__":
    main()
