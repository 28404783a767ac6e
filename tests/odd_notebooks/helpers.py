"""Where helpers are, and what kind of thing the asked name is bound to."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, body, cell, code, replace

_SHIFT = "scores - scores.max(axis=axis, keepdims=True)"
_HELPER = f"def shift(scores, axis):\n    return {_SHIFT}"
_CALL = "shift(scores, axis)"


@odd("a helper in a cell above the exercise")
def helper_above(notebook: Notebook) -> None:
    above(notebook, "softmax", code(_HELPER))
    replace(notebook, "softmax", _SHIFT, _CALL)


@odd("a helper between the exercise and its check, below the function that calls it")
def helper_between_exercise_and_check(notebook: Notebook) -> None:
    below(notebook, "softmax", code(_HELPER))
    replace(notebook, "softmax", _SHIFT, _CALL)


@odd("a helper at the end of the notebook, whose cell was run first", "case 18", cards=False)
def helper_further_down(notebook: Notebook) -> None:
    notebook["cells"].append(code(_HELPER))
    replace(notebook, "softmax", _SHIFT, _CALL)


@odd("a helper of the same name is defined again, for something else, further down")
def helper_redefined_later(notebook: Notebook) -> None:
    above(notebook, "softmax", code(_HELPER))
    replace(notebook, "softmax", _SHIFT, _CALL)
    notebook["cells"].append(code("def shift(text, places):\n    return text[places:]\n\n\nshift('attention', 2)"))


@odd("a constant in a cell above, changed in the last cell")
def constant_changed_later(notebook: Notebook) -> None:
    above(notebook, "scaled_dot_product_attention", code("BLOCKED = 0.0"))
    replace(notebook, "scaled_dot_product_attention", "masked_fill(~mask, 0.0)", "masked_fill(~mask, BLOCKED)")
    notebook["cells"].append(code("BLOCKED = 7.0"))


@odd("a lambda is assigned to the asked name")
def lambda_assigned(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] = (
        f"_exp = lambda scores, axis: np.exp({_SHIFT})\n"
        "softmax = lambda scores, axis=-1: _exp(scores, axis) / _exp(scores, axis).sum(axis=axis, keepdims=True)"
    )


@odd("the asked name is a functools.partial of a more general function")
def partial_assigned(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    source = exercise["source"].replace(
        "def softmax(scores: np.ndarray, axis: int = -1)", "def _general(base, scores, axis=-1)"
    )
    source = source.replace("np.exp(shifted)", "base**shifted")
    exercise["source"] = f"from functools import partial\n\n\n{source}\n\n\nsoftmax = partial(_general, math.e)"


@odd("the asked name is an object with __call__")
def callable_object(notebook: Notebook) -> None:
    _, statements = body(cell(notebook, "softmax")["source"])
    inner = "\n".join("    " + line if line else line for line in statements.split("\n"))
    cell(notebook, "softmax")["source"] = (
        f"class _Softmax:\n    def __call__(self, scores, axis=-1):\n{inner}\n\n\nsoftmax = _Softmax()"
    )


@odd("the asked name is a static method of a class")
def static_method_assigned(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    inner = "\n".join("    " + line if line else line for line in exercise["source"].split("\n"))
    exercise["source"] = f"class Functions:\n    @staticmethod\n{inner}\n\n\nsoftmax = Functions.softmax"


@odd("the function is decorated with a timing decorator of the student's own")
def decorated(notebook: Notebook) -> None:
    above(notebook, "softmax", code(
        "import functools\nimport time\n\n\ndef timed(function):\n    @functools.wraps(function)\n"
        "    def wrapper(*args, **kwargs):\n        start = time.perf_counter()\n"
        "        result = function(*args, **kwargs)\n"
        "        wrapper.seconds = time.perf_counter() - start\n        return result\n    return wrapper"
    ))  # fmt: skip
    cell(notebook, "softmax")["source"] = "@timed\n" + cell(notebook, "softmax")["source"]


@odd("the function is decorated by one that loses its name and its signature")
def decorated_without_wraps(notebook: Notebook) -> None:
    inner = "    def inner(*args, **kwargs):\n        return function(*args, **kwargs)\n"
    decorator = f"def loud(function):\n{inner}\n    return inner"
    exercise = cell(notebook, "attention_numpy")
    exercise["source"] = f"{decorator}\n\n\n@loud\n{exercise['source']}"


@odd("a class inherits from one in the cell above")
def class_inherits_in_two_cells(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    head, _, forward = exercise["source"].partition("    def forward(")
    base = head.rstrip().replace("class SelfAttention(nn.Module)", "class _Projections(nn.Module)")
    above(notebook, "self_attention", code(base))
    exercise["source"] = "class SelfAttention(_Projections):\n    def forward(" + forward


@odd("a method is replaced in a cell between the class and its check")
def method_replaced_in_a_later_cell(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    source = exercise["source"].replace("output = self.w_o(attended)", "output = attended")
    _, _, forward = exercise["source"].partition("    def forward(")
    method = "\n".join(line.removeprefix("    ") for line in ("    def forward(" + forward).split("\n"))
    exercise["source"] = source
    below(notebook, "self_attention", code(f"{method}\n\n\nSelfAttention.forward = forward"))


@odd("the class is a subclass of itself, improved in a later cell before its check")
def class_improved_in_a_later_cell(notebook: Notebook) -> None:
    below(notebook, "self_attention", code(
        "class SelfAttention(SelfAttention):\n    def extra_repr(self):\n"
        "        return f'd_model={self.w_q.in_features}'"
    ))  # fmt: skip


@odd("from math import * and from torch.nn import * come first")
def star_imports(notebook: Notebook) -> None:
    above(notebook, "softmax", code("from math import *"))
    above(
        notebook, "scaled_dot_product_attention", code("from torch.nn import *\nfrom torch.nn.functional import relu")
    )


@odd("imports are in the exercise cell, some of them inside the function")
def imports_in_the_exercise(notebook: Notebook) -> None:
    exercise = cell(notebook, "softmax")
    head, statements = body(exercise["source"])
    exercise["source"] = (
        f"import numpy as np\nfrom typing import Any\n\n\n{head}    from numpy import exp\n{statements}".replace(
            "np.exp(", "exp("
        )
    )


@odd("from __future__ import annotations is the first line of an exercise cell")
def future_import(notebook: Notebook) -> None:
    exercise = cell(notebook, "scaled_dot_product_attention")
    exercise["source"] = "from __future__ import annotations\n\n\n" + exercise["source"]


@odd("the function is defined by exec, and another one put into globals()")
def defined_by_exec(notebook: Notebook) -> None:
    exercise, other = cell(notebook, "softmax"), cell(notebook, "attention_numpy")
    exercise["source"] = f"source = {exercise['source']!r}\nexec(source)"
    other["source"] = (
        other["source"].replace("def attention_numpy(", "def _f(") + '\n\n\nglobals()["attention_numpy"] = _f'
    )


@odd("a dataclass carries what the function needs")
def dataclass_helper(notebook: Notebook) -> None:
    above(notebook, "attention_numpy", code(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Scale:\n    d_k: int\n\n"
        "    def root(self) -> float:\n        return math.sqrt(self.d_k)"
    ))  # fmt: skip
    replace(notebook, "attention_numpy", "math.sqrt(query.shape[-1])", "Scale(query.shape[-1]).root()")


@odd("a helper is a method of a class that an earlier exercise's cell defines")
def helper_in_another_exercise(notebook: Notebook) -> None:
    cell(notebook, "softmax")["source"] += "\n\n\nclass Helpers:\n    scale = staticmethod(math.sqrt)"
    replace(notebook, "scaled_dot_product_attention", "math.sqrt(", "Helpers.scale(")
