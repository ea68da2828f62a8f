"""What bars a reader from a page, as axe tells it: every rule on every element, colours once for each style of text.

Contrast takes half a minute on a long page if each of ten thousand elements is measured by itself. It depends on the
colour and size of the words and on the grounds beneath them: one element for each such style stands for all. Folds are
opened for it (axe passes over what is folded away), so that no row of a table and no fold is left out.
"""

from __future__ import annotations

STYLES = """() => {
  const grounds = new Map(), first = new Map();
  const ground = e => {
    if (!e) return '';
    if (!grounds.has(e)) {
      const {backgroundColor, backgroundImage, opacity, filter} = getComputedStyle(e);
      const own = [backgroundColor, backgroundImage, opacity, filter].join();
      grounds.set(e, ground(e.parentElement) + (own === 'rgba(0, 0, 0, 0),none,1,none' ? '' : '/' + own));
    }
    return grounds.get(e);
  };
  for (const e of document.body.querySelectorAll('*')) {
    const worded = [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!(worded || e.matches('input, select, textarea')) || !e.checkVisibility()) continue;
    const {color, fontSize, fontWeight, textShadow, visibility} = getComputedStyle(e);
    const style = [color, fontSize, fontWeight, textShadow, visibility, ground(e)].join('|');
    if (!first.has(style)) first.set(style, e);
  }
  return [...first.values()];
}"""
OPEN = """() => {
  document.querySelectorAll('details').forEach(fold => { fold.open = true; });
  for (const a of document.getAnimations()) if (Number.isFinite(a.effect.getComputedTiming().endTime)) a.finish();
}"""  # what fades in would be measured while it is faint
TOLD = "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))]"
GRAVE = ("serious", "critical")


def barriers(browser, rules: str) -> list[list]:
    """What axe finds grave on the page that is open: impact, rule, the first three places."""
    browser.execute_script(rules)
    found = _run(browser, "document", {"rules": {"color-contrast": {"enabled": False}}})
    return [violation for violation in found if violation[0] in GRAVE] + faint(browser)


def faint(browser) -> list[list]:
    """What of that is words too faint for their ground, on a page whose `barriers` were asked for before its colours changed."""
    browser.execute_script(f"({OPEN})()")
    found = _run(browser, f"{{include: ({STYLES})()}}", {"runOnly": ["color-contrast"]})
    return [violation for violation in found if violation[0] in GRAVE]


def _run(browser, within: str, options: dict) -> list[list]:
    return browser.execute_async_script(
        f"const [options, done] = arguments; axe.run({within}, options).then(r => done(r.violations.map({TOLD})))",
        {"resultTypes": ["violations"], **options},
    )
