"""A mistake keeps its name when it is written in another style.

The wrong variants in an exercise's folder make its mistakes as somebody else would write them. They must be named like
the registered ones, on the public questions and on hidden ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from keys import SAMPLERS, answers_of, key_of
from tiers import slow_but

from autograder.authoring.gate import Tried
from autograder.exercises import DEFINITIONS
from autograder.exercises.variants import read_variants
from autograder.sources_digest import sources_digest

FILE = """
import itertools


def total(row):
    return sum(row)


def share(row):
    return [value / total(row) for value in row]


# %% right: one by one
def softmax(scores):
    return share(scores)


# %% wrong (first): nothing is divided, which is *half* of it
# true: unnormalised
# half: sigmoid, axis_ignored
def softmax(scores):
    # a comment of the author's
    return scores


# %% wrong: the sum is returned
# defines: total_returned
softmax = total

# %% trivial: stub
def softmax(scores):
    raise NotImplementedError
"""


@pytest.mark.parametrize("sampler", slow_but(["public"], SAMPLERS))
@pytest.mark.parametrize("exercise_id", DEFINITIONS)
@pytest.mark.filterwarnings("ignore")  # mistakes overflow and divide by zero
def test_wrong_variants_get_the_name_that_they_should(exercise_id: str, sampler: str) -> None:
    tried = Tried(key_of(exercise_id, sampler), answers_of(exercise_id, sampler))
    faults = {
        variant.name: tried.fault_of_variant(name, variant) for name, variant in tried.definition.wrong_variants()
    }
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_cells_have_a_kind_a_description_and_notes(tmp_path: Path) -> None:
    path = tmp_path / "variants.py"
    path.write_text(FILE)
    right, half, whole, stub = read_variants(path)
    assert (right.kind, right.about, right.name) == ("right", "one by one", "one_by_one")
    assert (half.kind, half.batch, half.number) == ("wrong", "first", 1)
    assert half.true == {"unnormalised"} and half.half == {"sigmoid", "axis_ignored"}
    assert half.source.startswith("def softmax(scores):\n    # a comment of the author's\n")
    assert whole.defines == "total_returned" and whole.true == {"total_returned"}
    assert stub.kind == "trivial" and not stub.true


def test_a_variant_gets_the_shared_code_that_it_uses_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "variants.py"
    path.write_text(FILE)
    right, half, whole, _ = read_variants(path)
    assert "def total" in right.source and "def share" in right.source and "itertools" not in right.source
    assert "def total" in whole.source and "def share" not in whole.source
    assert "def total" not in half.source


def test_a_cell_without_code_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "variants.py"
    path.write_text("# %% right: nothing\n\n# %% trivial: stub\nsoftmax = None\n")
    with pytest.raises(ValueError, match="there is no code below '# %% right: nothing'"):
        read_variants(path)
    assert read_variants(tmp_path / "unseen.py") == ()


def test_a_change_of_unseen_code_makes_no_key_again(tmp_path: Path) -> None:
    digests = []
    for number, name in enumerate(("unseen.py", "unseen.py", "variants.py")):
        folder = tmp_path / str(number) / "exercises" / "softmax"
        folder.mkdir(parents=True)
        (folder / name).write_text(f"# {number}")
        digests.append(sources_digest(tmp_path / str(number)))
    assert digests[0] == digests[1] != digests[2]
