"""JupyterLab in a browser, as a student opens it and a test drives it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from course_lib.app.lab import KERNEL, lab_command, lab_environment
from course_lib.course import START

PROMPT = re.compile(r"^\[\d+\]:$")
SECOND = 1000.0  # playwright counts milliseconds
TRIES = 3  # at most so often is a cell clicked before it runs
PATIENCE = 600 * SECOND  # for a whole notebook: the machine may be busy

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # else cells out of sight are not drawn
}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

ERRORS = ", ".join(
    f'.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.{kind}"], '
    f'.jp-OutputArea-output [data-mime-type="application/vnd.jupyter.{kind}"]'
    for kind in ("stderr", "error")
)


@dataclass(frozen=True)
class Seen:
    """What a notebook shows at one moment.

    Attributes:
        cards: the text of each card, by exercise.
        prompts: of the code cells, in order.
        errors: whatever is shown as an error, on stderr or as a traceback.
        descriptions: of the images, in order.
    """

    cards: dict[str, str]
    prompts: list[str]
    errors: list[str]
    descriptions: list[str | None]


class Notebook:
    """A notebook that is open, and in sight, in a page of JupyterLab."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        self._names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
        self.panel = page.locator(f'.jp-NotebookPanel[id="{self._wait_until_in_sight(file)}"]')
        self._cells = self.panel.locator(".jp-Notebook .jp-Cell")
        self._prompts = self.panel.locator(".jp-CodeCell .jp-InputPrompt")
        self._images = self.panel.locator(".jp-OutputArea-output img")
        expect(self._cells).to_have_count(len(cells), timeout=60 * SECOND)
        self._wait_until_idle()

    def write(self, exercise_id: str, source: str) -> None:
        """Replace the whole cell of an exercise."""
        self._named(exercise_id).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source.rstrip())

    def run(self, *names: str) -> None:
        """Run cells, one after the other."""
        for name in names:
            prompt = self._named(name).locator(".jp-InputPrompt")
            before = prompt.inner_text()
            for _ in range(TRIES):
                self._named(name).locator(".cm-content").click()
                self.page.keyboard.press("ControlOrMeta+Enter")
                with suppress(AssertionError):  # a notebook that has just opened may take the focus after the click
                    expect(prompt).not_to_have_text(before, timeout=20 * SECOND)
                    break
            self._wait_for_another(prompt, before)

    def save(self) -> None:
        """Write the notebook's file."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def run_all(self) -> None:
        """Run everything, and wait until nothing is left to run."""
        before = self._prompts.first.inner_text()
        self.page.evaluate("() => { window.jupyterapp.commands.execute('runmenu:run-all') }")  # as the menu does
        self._wait_for_another(self._prompts.first, before)
        self._wait_until_idle()

    def look(self, name: str) -> Seen:
        """Note what is shown, and leave pictures of it where they are wanted."""
        checks = [name.removeprefix("check-") for name in self._names if name and name.startswith("check-")]
        cards = {name: self.card(name) for name in checks}
        expect(self._images).to_have_count(self.page.evaluate(IMAGES), timeout=60 * SECOND)  # drawn after it is idle
        if "COURSE_SCREENSHOTS" in os.environ:
            self._take_pictures(name, cards)
        return Seen(
            {exercise_id: card.inner_text() for exercise_id, card in cards.items()},
            self._prompts.all_inner_texts(),
            self.panel.locator(ERRORS).all_inner_texts(),
            [image.get_attribute("alt") for image in self._images.all()],
        )

    def card(self, exercise_id: str) -> Locator:
        """The card under an exercise."""
        return self._named(f"check-{exercise_id}").locator('[role="group"]')

    def _wait_until_in_sight(self, file: Path) -> str:
        """The id of the panel that shows a notebook."""
        handle = self.page.wait_for_function(IN_SIGHT, arg=file.name, timeout=60 * SECOND)
        return str(handle.json_value())

    def _named(self, name: str) -> Locator:
        """The cell of a grade id, as ``"check-softmax"``."""
        return self._cells.nth(self._names.index(name))

    def _wait_for_another(self, prompt: Locator, before: str) -> None:
        """A prompt turns into a star, then into a number that it was not before."""
        expect(prompt).not_to_have_text(before, timeout=20 * SECOND)
        expect(prompt).to_have_text(PROMPT, timeout=60 * SECOND)

    def _wait_until_idle(self) -> None:
        # between two cells the kernel is idle, too: wait until no cell has a star. At the first error, the stars of the
        # cells to come go out, although these cells still run: look at the kernel as well, and at the status bar
        expect(self._prompts.filter(has_text="*")).to_have_count(0, timeout=PATIENCE)
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text(
            f"{KERNEL['display_name']} | Idle", timeout=PATIENCE
        )
        indicator = self.panel.locator(".jp-Notebook-ExecutionIndicator")
        expect(indicator).to_have_attribute("data-status", "idle", timeout=PATIENCE)

    def _take_pictures(self, name: str, cards: dict[str, Locator]) -> None:
        """Of the whole notebook, a screenful at a time, of each card and of each figure."""
        folder = Path(os.environ["COURSE_SCREENSHOTS"])
        panel = self.panel.locator(".jp-WindowedPanel-outer")
        height, step = panel.evaluate("p => [p.scrollHeight, p.clientHeight - 60]")
        for number, place in enumerate(range(0, height, step)):
            panel.evaluate("(p, top) => p.scrollTo(0, top)", place)
            panel.screenshot(path=folder / f"{name}-{number:02}.png")
        for exercise_id, card in cards.items():
            card.screenshot(path=folder / f"{name}-card-{exercise_id}.png")
        for number, image in enumerate(self._images.all()):
            image.screenshot(path=folder / f"{name}-figure-{number:02}.png")


def jupyter_folders(place: Path) -> dict[str, str]:
    """The environment in which Jupyter keeps everything of its own in a folder."""
    return {
        **{f"JUPYTER_{part}_DIR": str(place / part.lower()) for part in ("CONFIG", "DATA", "RUNTIME")},
        **{f"JUPYTERLAB_{part}_DIR": str(place / part.lower()) for part in ("SETTINGS", "WORKSPACES")},
        "IPYTHONDIR": str(place / "ipython"),
    }


@contextmanager
def serving(home: Path, place: Path, nbgrader: bool = False) -> Iterator[str]:
    """JupyterLab with settings of its own; yields its address, token included, and stops it in any case.

    Args:
        nbgrader: whether an instructor opens it, in whose folder nbgrader finds its configuration.
    """
    for name, setting in SETTINGS.items():
        file = place / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(setting), encoding="utf-8")
    server = subprocess.Popen(
        lab_command(
            home,
            f"{START}.ipynb",
            ["--no-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--LabApp.expose_app_in_browser=True"],
        ),
        env={**lab_environment(nbgrader), **jupyter_folders(place)},
        cwd=home,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    too_late = threading.Timer(60, server.kill)
    too_late.start()
    try:
        said: list[str] = []
        for line in server.stderr or ():
            said.append(line)
            if address := re.search(r"http://127\.0\.0\.1:\d+/lab\S*\?token=\w+", line):
                break
        else:
            raise RuntimeError("JupyterLab did not start:\n" + "".join(said))
        threading.Thread(target=lambda: [None for _ in server.stderr or ()], daemon=True).start()  # no full pipe
        _wait_until_it_listens(server, address[0])
        too_late.cancel()
        yield address[0]
    finally:
        too_late.cancel()
        server.terminate()  # JupyterLab then ends its kernels
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait_until_it_listens(server: subprocess.Popen[str], url: str) -> None:
    """JupyterLab tells its address a moment before one can connect to it."""
    place = urlsplit(url)
    while server.poll() is None:
        with suppress(ConnectionRefusedError), socket.create_connection((place.hostname, place.port)):
            return
        time.sleep(0.02)
    raise RuntimeError(f"JupyterLab ended before it listened at {url}.")


#: how many images the outputs of the open notebook have, drawn yet or not
IMAGES = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.model.toJSON().cells;
    const pages = cells.flatMap(cell => cell.outputs ?? []).map(output => [output.data?.["text/html"] ?? ""].flat());
    return (pages.flat().join("").match(/<img /g) ?? []).length;
}"""

#: the id of the panel that is in front, once it shows the notebook of that name
IN_SIGHT = """(name) => {
    const panel = window.jupyterapp?.shell.currentWidget;
    return panel?.context?.path?.split("/").pop() === name && panel.content?.widgets?.length ? panel.id : null;
}"""

END_KERNEL = """async (path) => {
    const sessions = window.jupyterapp.serviceManager.sessions;
    await sessions.refreshRunning();
    for (const session of sessions.running()) if (session.path === path) await sessions.shutdown(session.id);
}"""


@dataclass(frozen=True)
class Laboratory:
    """One server and one browser for several notebooks: to start them takes longer than to run most notebooks."""

    home: Path
    url: str
    browser: Browser

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Notebook]:
        """A copy of a lesson's folder, and its notebook open in a page of its own; the kernel ends with it."""
        place = Path(tempfile.mkdtemp(dir=self.home)) / folder.name
        shutil.copytree(folder, place, ignore=shutil.ignore_patterns(".course"))
        with self.opened_in_place(place) as notebook:
            yield notebook

    @contextmanager
    def opened_in_place(self, folder: Path) -> Iterator[Notebook]:
        """The notebook of a folder that is in ``home``, next to other lessons."""
        file = folder / f"{folder.name}.ipynb"
        path = file.relative_to(self.home).as_posix()
        page = self.browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(re.sub(r"/lab\S*\?", f"/lab/tree/{path}?reset&", self.url))
        yield Notebook(page, file)
        page.evaluate(END_KERNEL, path)
        page.close()


@contextmanager
def laboratory(chromium: str, place: Path, folder: Path | None = None) -> Iterator[Laboratory]:
    """JupyterLab over a copy of a folder, or over an empty one, and a browser to open notebooks in.

    The copy is in ``place``; all of it ends with the context.
    """
    home = place / "home"
    if folder is None:
        home.mkdir()
    else:
        shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".course", ".ipynb_checkpoints"))
    with (
        serving(home, place / "jupyter") as url,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as browser,
    ):
        yield Laboratory(home, url, browser)
