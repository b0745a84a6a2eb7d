"""Packages of published papers, with the same calls, on this package's computations.

`fiesta_nlp`
    PyPI's fiesta-nlp 0.0.1 (Moss, Moore, Leslie & Rayson, ACL 2019).
"""
