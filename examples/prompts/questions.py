"""The 800 questions of this example: `python3 questions.py > questions.jsonl`."""

import json
import operator
import random

KINDS = {
    "addition": ("+", operator.add, 10_000),
    "subtraction": ("-", operator.sub, 10_000),
    "multiplication": ("*", operator.mul, 100),
    "remainder": ("mod", operator.mod, 1_000),
}

numbers = random.Random(1)
for kind, (sign, result, most) in KINDS.items():
    for number in range(200):
        a, b = numbers.randrange(2, most), numbers.randrange(2, most)
        question = {"id": f"{kind}-{number:03}", "category": kind, "question": f"What is {a} {sign} {b}?", "answer": str(result(a, b))}
        print(json.dumps(question))
