"""Ways of writing Python that are unusual, and right."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, cell, code, replace

_SHIFT = "scores - scores.max(axis=axis, keepdims=True)"


@odd("annotations of the student's own, overloads, and a type alias")
def type_annotations(notebook: Notebook) -> None:
    above(
        notebook,
        "softmax",
        code("from typing import TypeAlias, TypeVar\n\nArray: TypeAlias = np.ndarray\nT = TypeVar('T')"),
    )
    replace(
        notebook,
        "softmax",
        "scores: np.ndarray, axis: int = -1) -> np.ndarray",
        "scores: Array, axis: 'int' = -1) -> 'Array'",
    )


@odd("no annotations and no docstring are left")
def no_annotations(notebook: Notebook) -> None:
    source = cell(notebook, "softmax")["source"]
    statements = source.rpartition('"""\n')[2].replace("weights: np.ndarray = ", "weights = ")
    cell(notebook, "softmax")["source"] = "def softmax(scores, axis=-1):\n" + statements


@odd("identifiers in Greek, Chinese and with accents")
def unicode_identifiers(notebook: Notebook) -> None:
    for old, new in (("exponentials", "ἐκθετικά"), ("shifted", "größe"), ("weights", "权重")):
        replace(notebook, "softmax", old, new)


@odd("an identifier is written composed in one place and decomposed in another")
def decomposed_identifier(notebook: Notebook) -> None:
    replace(notebook, "softmax", "shifted", "gr\u00f6\u00dfe")
    source = cell(notebook, "softmax")["source"]
    first = source.index("gr\u00f6\u00dfe") + 3
    cell(notebook, "softmax")["source"] = source[:first] + source[first:].replace("gr\u00f6\u00dfe", "gro\u0308\u00dfe")


@odd('the call to try it out is below if __name__ == "__main__"')
def main_guard(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += '\n\n\nif __name__ == "__main__":\n    print(softmax(np.zeros(3)))'


@odd('the definition itself is inside if __name__ == "__main__"')
def defined_in_a_main_guard(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    inner = "\n".join("    " + line if line else line for line in exercise["source"].split("\n"))
    exercise["source"] = f'if __name__ == "__main__":\n{inner}'


@odd("doctests in the docstring, run in the cell below")
def doctests(notebook: Notebook) -> None:
    replace(notebook, "softmax", "    Args:\n", "    >>> float(softmax(np.zeros(2))[0])\n    0.5\n\n    Args:\n")
    below(notebook, "softmax", code("import doctest\n\ndoctest.testmod(verbose=True)"))


@odd("unittest is run in the notebook")
def unittests(notebook: Notebook) -> None:
    below(notebook, "softmax", code(
        "import unittest\n\n\nclass TestSoftmax(unittest.TestCase):\n    def test_sum(self):\n"
        "        self.assertAlmostEqual(softmax(np.ones(4)).sum(), 1)\n\n\nunittest.main(argv=[''], exit=False)"
    ))  # fmt: skip


@odd("asserts at the end of an exercise cell, and one that fails in a cell of the student's own")
def asserts(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n\n\nassert np.allclose(softmax(np.zeros(4)), 0.25)"
    below(notebook, "check-softmax", code("assert softmax(np.zeros(4)).sum() > 1, 'rounding?'"))


@odd("top-level await, an async helper, and an async loop")
def asynchronous_cells(notebook: Notebook) -> None:
    above(notebook, "softmax", code(
        "import asyncio\n\n\nasync def constant():\n    await asyncio.sleep(0)\n    return -1\n\n\n"
        "last_axis = await constant()"
    ), code("async for_ = 1"), code("async with asyncio.timeout(5):\n    await asyncio.sleep(0)"))  # fmt: skip
    replace(notebook, "softmax", "axis: int = -1", "axis: int = last_axis")


@odd("match, walrus and a nested function")
def modern_syntax(notebook: Notebook) -> None:
    replace(notebook, "scaled_dot_product_attention", "    if mask is not None:\n        weights", (
        "    match mask:\n        case None:\n            pass\n        case Tensor():\n            weights"
    ))  # fmt: skip
    replace(
        notebook,
        "softmax",
        "    exponentials = np.exp(shifted)\n",
        "    if (exponentials := np.exp(shifted)).size:\n        pass\n",
    )


@odd("semicolons, backslashes, and everything on a few lines")
def squeezed(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] = (
        f"def softmax(scores, axis=-1): s = {_SHIFT}; e = \\\n    np.exp(s); "
        "return e / e.sum(axis=axis, keepdims=True);"
    )


@odd("an exercise's function is defined twice in its cell, the second time right")
def defined_twice(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    exercise["source"] = (
        "def softmax(scores, axis=-1):\n    return np.exp(scores)  # first attempt\n\n\n" + exercise["source"]
    )


@odd("the class has more parameters with defaults, and more methods")
def more_parameters(notebook: Notebook) -> None:
    replace(
        notebook, "self_attention", "bias: bool = True) -> None:", "bias: bool = True, verbose: bool = False) -> None:"
    )
    cell(notebook, "self_attention")["source"] += "\n\n    def size(self):\n        return self.w_q.in_features"


@odd("class attributes, __slots__ and a metaclass's keyword are used in a helper")
def classes_of_all_kinds(notebook: Notebook) -> None:
    above(notebook, "self_attention", code(
        "from abc import ABC, abstractmethod\n\n\nclass Layer(ABC):\n    @abstractmethod\n    def forward(self, x):\n"
        "        raise NotImplementedError()\n\n\nclass Point:\n    __slots__ = ('x',)"
    ))  # fmt: skip


@odd("the parameters of the layer's constructor and of its forward were renamed")
def parameters_renamed(notebook: Notebook) -> None:
    for old, new in (
        ("d_model: int, bias: bool = True", "width: int, with_bias: bool = True"),
        ("nn.Linear(d_model, d_model, bias=bias)", "nn.Linear(width, width, bias=with_bias)"),
        ("x: Tensor, mask: Tensor | None = None, need_weights", "inputs: Tensor, allowed: Tensor | None = None, both"),
        ("query = self.w_q(x)", "x, mask, need_weights = inputs, allowed, both\n        query = self.w_q(x)"),
    ):
        replace(notebook, "self_attention", old, new)
