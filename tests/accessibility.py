"""What shuts somebody out of a page, as axe finds it: also in what is folded away."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

#: axe passes over what is not drawn
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
#: a colour that fades in has too little contrast on its way
STILL = "() => document.getAnimations().every(one => one.playState !== 'running')"


def serious_findings(page: Page, part: str = "", without: str = "") -> list[str]:
    """Unfold a page, wait until that has come to rest, and list what is serious or critical in it.

    Args:
        part: a selector, where only a part of the page is ours.
        without: a selector of what is looked at elsewhere.
    """
    page.evaluate(UNFOLD)
    page.wait_for_function(STILL)
    context = {"include": [[part or "html"]], "exclude": [[without]] if without else []}
    found = Axe().run(page, context=context, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
