"""What editors and services do to a notebook when they save it."""

from __future__ import annotations

import base64
import json

import jupytext
import nbformat

from odd_notebooks.entry import Notebook, odd, saved
from odd_notebooks.notebook import code, is_check, is_exercise, text


def _without_names(notebook: Notebook) -> None:
    """Drop what identifies a cell: nbgrader's metadata, tags, and ids."""
    for cell in notebook["cells"]:
        cell.pop("id", None)
        cell["metadata"] = {}
    notebook["metadata"].pop("course", None)


@odd("Colab: ids and metadata are Colab's, drive and pip come first", "case 22, colabtools#581")
def colab(notebook: Notebook) -> None:
    _without_names(notebook)
    for i, cell in enumerate(notebook["cells"]):
        cell["metadata"] = {"id": f"{i:012x}"}
        if cell["cell_type"] == "code":
            cell["metadata"] |= {"colab": {"base_uri": "https://localhost:8080/"}, "outputId": f"{i:08x}"}
    notebook["cells"][:0] = [
        code("from google.colab import drive\ndrive.mount('/content/drive')"),
        code("!pip install --no-deps handout.zip\n%cd /content/drive/MyDrive/course"),
    ]
    notebook["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "accelerator": "GPU",
    }
    notebook["nbformat_minor"] = 0


@odd("VS Code: its ids, its language metadata, outputs with its own MIME types")
def vs_code(notebook: Notebook) -> None:
    for i, cell in enumerate(notebook["cells"]):
        cell["id"] = base64.b16encode(i.to_bytes(4, "big")).decode().lower()
        cell["metadata"]["vscode"] = {"languageId": "python" if cell["cell_type"] == "code" else "markdown"}
        if is_check(cell):
            error = {"application/vnd.code.notebook.error": {"name": "Error", "message": "Canceled"}}
            cell["outputs"] = [{"output_type": "display_data", "data": error, "metadata": {}}]
    notebook["metadata"]["language_info"] = {
        "name": "python",
        "version": "3.13.1",
        "codemirror_mode": {"name": "ipython"},
    }


@odd("Kaggle: its _uuid and execution metadata in place of nbgrader's, and its first cell")
def kaggle(notebook: Notebook) -> None:
    _without_names(notebook)
    for i, cell in enumerate(notebook["cells"]):
        cell["metadata"] = {
            "_uuid": f"8f2839f25d086af736a60e9eeb907d3b93b{i:05x}",
            "execution": {"iopub.execute_input": ""},
        }
    notebook["cells"].insert(0, code(
        "# This Python 3 environment comes with many helpful analytics libraries installed\n"
        "import numpy as np\nimport pandas as pd\nimport os\n"
        "for dirname, _, filenames in os.walk('/kaggle/input'):\n"
        "    for filename in filenames:\n        print(os.path.join(dirname, filename))"
    ))  # fmt: skip
    notebook["nbformat_minor"] = 4


@odd("Databricks: prose came back as code cells with %md, and every cell has its own metadata")
def databricks(notebook: Notebook) -> None:
    for i, cell in enumerate(notebook["cells"]):
        about = {"application/vnd.databricks.v1+cell": {"nuid": f"{i:032x}", "showTitle": False, "inputWidgets": {}}}
        cell.pop("id", None)
        cell["metadata"] = about
        if cell["cell_type"] == "markdown":
            cell.update(cell_type="code", source="%md\n" + cell["source"], outputs=[], execution_count=None)
    notebook["cells"].append(code("%python\ndisplay(softmax(np.ones(3)))"))
    notebook["nbformat_minor"] = 0


@odd("PyCharm: a pycharm entry in each cell's metadata, no ids")
def pycharm(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell.pop("id", None)
        cell["metadata"] |= {"collapsed": False, "pycharm": {"name": "#%%\n", "is_executing": True}, "jupyter": {}}
    notebook["nbformat_minor"] = 1


@odd("Deepnote: cell_id and its footer, nbgrader's metadata gone, every code cell hidden")
def deepnote(notebook: Notebook) -> None:
    _without_names(notebook)
    for i, cell in enumerate(notebook["cells"]):
        cell["metadata"] = {"cell_id": f"{i:032x}", "deepnote_cell_type": cell["cell_type"], "source_hash": f"{i:x}"}
    footer = "<a style='text-decoration:none' href='https://deepnote.com'>Created in <span>Deepnote</span></a>"
    notebook["cells"].append(text(footer))
    notebook["metadata"] |= {"deepnote": {}, "deepnote_notebook_id": "0" * 32}
    notebook["nbformat_minor"] = 0


@odd("a round trip through jupytext's py:percent")
def jupytext_percent(notebook: Notebook) -> bytes:
    return _through(notebook, "py:percent")


@odd("a round trip through jupytext's light script, which merges and splits cells")
def jupytext_light(notebook: Notebook) -> bytes:
    return _through(notebook, "py:light")


@odd("a round trip through MyST Markdown")
def jupytext_myst(notebook: Notebook) -> bytes:
    return _through(notebook, "md:myst")


@odd("a round trip through jupytext's py:percent that keeps no metadata")
def jupytext_without_metadata(notebook: Notebook) -> bytes:
    notebook["metadata"]["jupytext"] = {"cell_metadata_filter": "-all", "notebook_metadata_filter": "-all"}
    return _through(notebook, "py:percent")


def _through(notebook: Notebook, form: str) -> bytes:
    script = jupytext.writes(nbformat.from_dict(notebook), form)
    return nbformat.writes(jupytext.reads(script, form)).encode()


@odd("nbstripout --keep-id is off: every id is a number now, nbgrader's metadata is kept")
def nbstripout(notebook: Notebook) -> None:
    for i, cell in enumerate(notebook["cells"]):
        cell["id"] = str(i)


@odd("ids renumbered and every cell's metadata stripped by a commit hook")
def nbstripout_without_metadata(notebook: Notebook) -> None:
    for i, cell in enumerate(notebook["cells"]):
        cell["id"], cell["metadata"] = str(i), {}


@odd("metadata of exercise and check cells is lost, that of all others is kept")
def metadata_of_exercises_lost(notebook: Notebook) -> None:
    for i, cell in enumerate(notebook["cells"]):
        if is_exercise(cell) or is_check(cell):
            cell["metadata"], cell["id"] = {}, f"new{i}"


@odd("every cell that is editable has every metadata key set to null", "case 22")
def metadata_null(notebook: Notebook) -> bytes:
    for cell in notebook["cells"]:
        if not cell["metadata"]:
            cell["metadata"] = None
    return saved(notebook)


@odd("nbformat 4.0: no ids, sources as lists")
def nbformat_4_0(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell.pop("id")
        cell["source"] = cell["source"].splitlines(keepends=True)
    notebook["nbformat_minor"] = 0


@odd("nbformat 3, as a very old IPython saves it")
def nbformat_3(notebook: Notebook) -> bytes:
    for cell in notebook["cells"]:
        cell.pop("id")
    notebook["nbformat_minor"] = 0
    old = nbformat.v4.convert.downgrade(nbformat.from_dict(notebook))
    return nbformat.v3.nbjson.writes(old).encode()


@odd("outputs and execution counts are missing, as a script that writes notebooks leaves them")
def no_outputs_at_all(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


@odd("all ids are the same")
def one_id_for_all(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["id"] = "cell"


@odd("JSON in one line, in ASCII with escapes, and keys that Jupyter does not know")
def compact_json(notebook: Notebook) -> bytes:
    return json.dumps({"zz_tool": {"saved_by": "x"}, **notebook}, separators=(",", ":"), sort_keys=True).encode()
