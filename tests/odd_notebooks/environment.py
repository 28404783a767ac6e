"""Packages, devices and compilers that the grader lacks, or that a notebook only seems to need."""

from __future__ import annotations

from odd_notebooks.entry import Notebook, odd
from odd_notebooks.notebook import above, below, cell, code, replace

_FORWARD = "query = self.w_q(x)"


@odd("einops is imported in an exercise cell", "case 15", announced="einops")
def einops_in_an_exercise(notebook: Notebook) -> None:
    exercise = cell(notebook, "scaled_dot_product_attention")
    exercise["source"] = "from einops import rearrange\n\n\n" + exercise["source"]


@odd("einops is imported inside the function", "case 15", announced="einops")
def einops_inside_the_function(notebook: Notebook) -> None:
    replace(
        notebook,
        "self_attention",
        _FORWARD,
        "import einops\n\n        query = einops.rearrange(self.w_q(x), 'b t d -> b t d')",
    )


@odd("tqdm is imported in an exercise cell", "case 15", announced="tqdm")
def tqdm_in_an_exercise(notebook: Notebook) -> None:
    exercise = cell(notebook, "self_attention")
    exercise["source"] = "from tqdm import trange\n\n\n" + exercise["source"]


@odd("pandas, seaborn and google.colab are imported in cells of the student's own")
def missing_packages_in_own_cells(notebook: Notebook) -> None:
    below(notebook, "setup", code("import pandas as pd\nimport seaborn as sns"), code("from google.colab import drive"))


@odd("a package is imported if it is there, and done without if not")
def package_with_fallback(notebook: Notebook) -> None:
    above(notebook, "softmax", code("try:\n    from tqdm import trange\nexcept ImportError:\n    trange = range"))
    replace(notebook, "attention_loops", "for i in range(num_queries)", "for i in trange(num_queries)")


@odd("the layer moves itself to cuda", "case 15", announced="cuda|GPU")
def cuda_without_fallback(notebook: Notebook) -> None:
    replace(notebook, "self_attention", _FORWARD, f'x = x.to("cuda")\n        self.to("cuda")\n        {_FORWARD}')


@odd("cuda if it is available, else the processor")
def cuda_with_fallback(notebook: Notebook) -> None:
    above(notebook, "self_attention", code('device = "cuda" if torch.cuda.is_available() else "cpu"'))
    replace(notebook, "self_attention", _FORWARD, f"x = x.to(device)\n        {_FORWARD}")


@odd("torch.compile decorates an exercise", "case 08")
def compiled(notebook: Notebook) -> None:
    exercise = cell(notebook, "scaled_dot_product_attention")
    exercise["source"] = "@torch.compile\n" + exercise["source"]


@odd("a method is compiled in the cell below its class", "case 08")
def method_compiled_below(notebook: Notebook) -> None:
    below(notebook, "self_attention", code("SelfAttention.forward = torch.compile(SelfAttention.forward)"))


@odd("torch.compile decorates an exercise, with the eager backend", "case 08")
def compiled_eagerly(notebook: Notebook) -> None:
    exercise = cell(notebook, "scaled_dot_product_attention")
    exercise["source"] = '@torch.compile(backend="eager")\n' + exercise["source"]


@odd("torch.jit.script compiles a helper")
def scripted_helper(notebook: Notebook) -> None:
    above(notebook, "scaled_dot_product_attention", code(
        "@torch.jit.script\ndef scaled(scores: Tensor, d_k: int) -> Tensor:\n    return scores / d_k**0.5"
    ))  # fmt: skip
    by_hand = "query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
    by_helper = "scaled(query @ key.transpose(-2, -1), query.size(-1))"
    replace(notebook, "scaled_dot_product_attention", by_hand, by_helper)


@odd("a file is downloaded and one is read that is not there, in cells of the student's own")
def files_that_are_not_there(notebook: Notebook) -> None:
    below(notebook, "setup", code(
        "import urllib.request\n\nurllib.request.urlopen('https://example.org', timeout=1)"
    ), code("data = open('my_data.csv').read()"))  # fmt: skip


@odd("weights are saved to a file in the notebook's folder and loaded again")
def saves_and_loads(notebook: Notebook) -> None:
    below(notebook, "check-self_attention", code(
        "torch.save(SelfAttention(4).state_dict(), 'layer.pt')\n"
        "SelfAttention(4).load_state_dict(torch.load('layer.pt'))"
    ))  # fmt: skip
