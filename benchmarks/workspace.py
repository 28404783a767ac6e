"""How long a student waits in JupyterLab: for START_HERE, for a lesson, and for a card.

From what `course lab` starts (the map of now is put into START_HERE, then the server comes up) until START_HERE shows
it in the browser, which is open already; from the click on a lesson's link until the lesson is drawn and its kernel
ready; and from running the cell of a check until its card is there. In every round server, page and kernel are new.

    python -m benchmarks.workspace --rounds 3
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from autograder.exercises import DEFINITIONS
from course_lib.app.workspace import show_map
from course_lib.course import find_course
from tests.lab import ARGUMENTS, PATIENCE, Notebook, jupyter_folders, serving

LESSON, EXERCISE = "03_self_attention", "softmax"
TO_START, TO_LESSON = "course lab → START_HERE with its map", "click on a lesson → drawn, kernel ready"
TO_CARD, TO_SECOND_CARD = "run the first check → its card", "run it again → its card"


def waits(browser: Browser, place: Path) -> Iterator[tuple[str, float]]:
    """What a student waits for, and the seconds of it."""
    home = place / "home"
    shutil.copytree(find_course().root / "notebooks", home, ignore=shutil.ignore_patterns(".course"))
    os.environ.update(jupyter_folders(place / "jupyter"))  # where the map is signed
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    begun = time.perf_counter()
    show_map(home)
    with serving(home, place / "jupyter") as url:
        page.goto(url)
        the_map = page.locator('.jp-NotebookPanel [role="group"]')
        the_map.wait_for(timeout=PATIENCE)
        yield TO_START, time.perf_counter() - begun
        begun = time.perf_counter()
        the_map.locator(f'a[href*="{LESSON}/"]').first.click()
        notebook = Notebook(page, home / LESSON / f"{LESSON}.ipynb")
        yield TO_LESSON, time.perf_counter() - begun
        notebook.run("setup")
        notebook.write(EXERCISE, DEFINITIONS[EXERCISE].reference.source)
        notebook.run(EXERCISE)
        for wait in (TO_CARD, TO_SECOND_CARD):
            begun = time.perf_counter()
            notebook.run(f"check-{EXERCISE}")
            notebook.card(EXERCISE).wait_for(timeout=PATIENCE)
            yield wait, time.perf_counter() - begun
        page.close()


def main() -> None:
    """Measure each wait, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how many students wait, one after another (default: 3)")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is missing: install it to measure in a browser (Debian: apt-get install chromium).")
    seconds: dict[str, list[float]] = {}
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as it:
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory() as place:
                for wait, taken in waits(it, Path(place)):
                    seconds.setdefault(wait, []).append(taken)
    for wait, taken in seconds.items():
        print(f"{wait:<42} median {statistics.median(taken):6.2f} s   worst {max(taken):6.2f} s")
    print(f"load of the last minute, on {os.cpu_count()} processors: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
