"""The page of `course export` against torch: the same translations, the same logits, and the time of a sentence.

python -m benchmarks.export                      # of the translator that ships
python -m benchmarks.export --weights FILE       # of one that lesson 09 saved
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import sync_playwright

from course_lib.components import greedy_decode
from course_lib.corpus import generate
from course_lib.translator.page import make_page
from course_lib.translator.saved import SavedTranslator, read_saved, shipped_translator
from course_lib.translator.torch_transformer import TorchTransformer

#: a sentence's tokens in, its French tokens and the milliseconds they took out; the first one only warms up
TRANSLATES = """sentences => sentences.map(tokens => {
    const begun = performance.now();
    return [ translator.tokens(tokens), performance.now() - begun ];
})"""


def in_browser(page: str, sentences: Sequence[Sequence[str]], logits: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Translations with their times, and the logits of pairs of source ids and target ids."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("This needs Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "translator.html"
        file.write_text(page, encoding="utf-8")
        with playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]) as browser:
            opened = browser.new_context(offline=True, reduced_motion="reduce").new_page()
            opened.goto(file.as_uri())
            translated = opened.evaluate(TRANSLATES, [sentences[0], *sentences])[1:]
            found = opened.evaluate("pairs => pairs.map(([s, t]) => translator.logits(s, t))", logits)
    return translated, found


def main() -> None:
    """Compare, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, help="what lesson 09 saved (default: the translator that ships)")
    parser.add_argument("--half", action="store_true", help="with the weights rounded to 16 bits in the page")
    parser.add_argument("--sentences", type=int, default=500, help="held-out sentences to translate (default: 500)")
    parser.add_argument("--logits", type=int, default=50, help="sentences whose logits are compared (default: 50)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    saved: SavedTranslator = read_saved(arguments.weights) if arguments.weights else shipped_translator()
    page = make_page(saved, half=arguments.half)
    network = TorchTransformer(saved.configuration, saved.weights).eval()
    pairs = list(islice(generate(1_000_003, "held_out", distinct=True), arguments.sentences))
    sources = [[saved.english.index(token) for token in pair.source] for pair in pairs]
    targets = [[1, *(saved.french.index(token) for token in pair.target)] for pair in pairs]

    asked = list(zip(sources, targets, strict=True))[: arguments.logits]
    translated, logits = in_browser(page, [pair.source for pair in pairs], asked)
    same, right, longest = 0, 0, saved.configuration["max_length"]
    for source, pair, (words, _) in zip(sources, pairs, translated, strict=True):
        ids = greedy_decode(network, torch.tensor([source]), 1, 2, longest)[0].tolist()  # type: ignore[arg-type]
        same += words == [saved.french[i] for i in ids if i != 2]
        right += tuple(words) == pair.target
    off = 0.0
    with torch.no_grad():
        for (source, target), theirs in zip(asked, logits, strict=True):
            ours = network.decode(torch.tensor([target]), *network.encode(torch.tensor([source])))[0]  # (T, V)
            off = max(off, float((ours - torch.tensor(theirs)).abs().max()))
    times = sorted(time for _, time in translated)
    print(
        f"{same} of {len(pairs)} translations are torch's ({same / len(pairs):.1%}), {right / len(pairs):.1%} right; "
        f"logits differ by {off:.0e} at most; {times[len(times) // 2]:.1f} ms a sentence in the browser (median; "
        f"{times[int(0.95 * len(times))]:.1f} ms at the 95th percentile); {len(page.encode()) / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main()
