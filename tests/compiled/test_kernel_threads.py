"""A student's kernel is as fast as `reproduce`: products of small matrices stay on one thread."""

import json

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from vbkit.press import THREADS

COUNT = """
import json
from threadpoolctl import threadpool_info
print(json.dumps([pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]))
"""


@pytest.mark.processor
@pytest.mark.parametrize(
    ("first", "threads"),
    [
        ("import numpy, scipy.linalg", {2}),
        ("from vbkit.course import lecture_08b", {1}),
    ],
)
def test_threads_of_a_kernel(first, threads, monkeypatch):
    for name in THREADS:
        monkeypatch.setenv(name, "2")  # what a JupyterLab gives on two cores
    notebook = new_notebook(cells=[new_code_cell(f"{first}\n{COUNT}")])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    counts = json.loads(notebook.cells[0].outputs[-1].text)
    assert len(counts) >= 1 and set(counts) == threads
