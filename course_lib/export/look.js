// Where it looked: a word of the translation is chosen by mouse, finger or keyboard, and everything shows its attention.
"use strict";

/** A word that is worth a look at first: where the translation turns the order of two words round, else the first. */
function mostTelling() {
  const most = shown.words.map((_, t) => weights(shown.head, t)).map((row) => row.indexOf(Math.max(...row)));
  const turned = most.findIndex((s, t) => t && shown.words[t] !== END && s < most[t - 1] && /\p{L}{3}/u.test(shown.words[t]));
  return Math.max(0, turned);
}

function wordButton(word, t) {
  const end = word === END, button = made("button", end ? "end" : drawn(word, t, writtenIn), end ? "word end" : "word");
  button.type = "button";
  button.dataset.t = t;
  button.tabIndex = -1;
  button.setAttribute("aria-pressed", "false");
  for (const event of [ "pointerenter", "focus", "click" ]) button.addEventListener(event, () => look(t));
  return button;
}

$("target").addEventListener("keydown", (event) => {
  const buttons = [ ...$("target").querySelectorAll("button") ], at = buttons.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(to, buttons.length - 1))].focus();
});

/** A head's name: the heads of each layer, and in front of them their mean. */
function headName(number) {
  const perLayer = model.num_heads + 1, layer = Math.floor(number / perLayer) + 1, head = number % perLayer;
  return head ? `layer ${layer}, head ${head}` : `layer ${layer}, mean of its heads`;
}

/** Where a head looked when word t was written: S weights. */
function weights(number, t) {
  const perLayer = model.num_heads + 1, heads = shown.steps[t].looks[Math.floor(number / perLayer)], head = number % perLayer;
  if (head) return heads[head - 1];
  return heads[0].map((_, s) => heads.reduce((total, row) => total + row[s], 0) / heads.length);
}

const nameOf = (token) => (token === END ? "end" : drawn(token, 1));

/** Choose a word of the translation: everything on the page then shows where it looked. */
function look(t) {
  if (!shown || t < 0 || t >= shown.words.length) return;
  shown.at = t;
  const row = weights(shown.head, t), most = row.indexOf(Math.max(...row));
  for (const button of $("target").querySelectorAll("button")) {
    const now = Number(button.dataset.t) === t;
    button.setAttribute("aria-pressed", String(now));
    button.tabIndex = now ? 0 : -1;
  }
  [ ...$("source").querySelectorAll(".word") ].forEach((word, s) => {
    word.style.setProperty("--weight", row[s].toFixed(4));
    word.classList.toggle("most", s === most);
  });
  for (const line of $("big").querySelectorAll("tbody tr")) line.classList.toggle("now", Number(line.dataset.t) === t);
  for (const outline of $("heads").querySelectorAll(".row")) outline.setAttribute("y", t);
  drawLinks(row);
  if (!$("target").classList.contains("writing")) describe(t, row[most], shown.tokens[most]);
}

/** In words: where it looked most, and between which words it chose. */
function describe(t, weight, word) {
  const probabilities = Array.from(softmax(shown.steps[t].logits));
  const best = probabilities.map((share, id) => [ share, id ]).sort(([ a ], [ b ]) => b - a).slice(0, 3);
  const line = made("p"), candidates = made("dl", "", "candidates");
  const said = made("b", nameOf(shown.words[t])), read = made("i", nameOf(word));
  line.append(said, " looked most at ", read, ` (${weight.toFixed(2)}; ${headName(shown.head)}). The likeliest words here were:`);
  for (const [ share, id ] of best) {
    const bar = made("span", "", "bar"), entry = made("dd");
    bar.style.setProperty("--weight", share.toFixed(4));
    bar.setAttribute("aria-hidden", "true");
    entry.append(bar, made("span", percent(share), "number"));
    candidates.append(made("dt", nameOf(targetTokens[id])), entry);
  }
  $("detail").replaceChildren(line, candidates);
}

/** A curve from the chosen word to every source word it looked at: wider and stronger with the weight. */
function drawLinks(row) {
  const frame = $("pair").getBoundingClientRect(), chosen = $("target").querySelector(`[data-t="${shown.at}"]`);
  if (!chosen) return;
  const from = chosen.getBoundingClientRect(), words = [ ...$("source").querySelectorAll(".word") ];
  const x = from.left + from.width / 2 - frame.left, y = from.top - frame.top;
  $("links").replaceChildren(...row.flatMap((weight, s) => {
    if (weight < 0.02) return [];
    const to = words[s].getBoundingClientRect(), u = to.left + to.width / 2 - frame.left, v = to.bottom - frame.top, middle = (y + v) / 2;
    const path = document.createElementNS($("links").namespaceURI, "path");
    path.setAttribute("d", `M${x} ${y}C${x} ${middle} ${u} ${middle} ${u} ${v}`);
    path.setAttribute("stroke-width", (1 + 3.5 * weight).toFixed(2));
    path.setAttribute("opacity", (0.12 + 0.68 * weight).toFixed(2));
    return [ path ];
  }));
}

/** What a weight's number is written on: white paper, or how much of the tint. */
const strength = (weight) => (weight > 0.8 ? "strong middle" : weight > 0.45 ? "middle" : weight < 0.005 ? "nothing" : "");

/** The chosen head as a table: a row for each word that was written, a column for each that was read. */
function drawBig() {
  $("big").style.setProperty("--columns", shown.tokens.length);
  const table = made("table"), head = made("thead"), body = made("tbody"), top = made("tr"), caption = made("caption");
  caption.id = "caption";
  caption.textContent = `${headName(shown.head).replace("layer", "Layer")}. Each row adds up to 1.`;
  top.append(made("td"));
  top.firstChild.className = "corner";
  for (const token of shown.tokens) {
    const cell = made("th");
    cell.scope = "col";
    cell.append(made("span", nameOf(token)));
    top.append(cell);
  }
  head.append(top);
  shown.words.forEach((_, t) => {
    const line = made("tr"), name = made("th", nameOf(shown.words[t]));
    name.scope = "row";
    name.lang = writtenIn;
    line.dataset.t = t;
    line.append(name, ...weights(shown.head, t).map((weight) => {
      const cell = made("td", weight < 0.005 ? "0" : weight > 0.995 ? "1" : weight.toFixed(2).slice(1), `tinted ${strength(weight)}`);
      cell.style.setProperty("--weight", weight.toFixed(4));
      return cell;
    }));
    line.addEventListener("pointerenter", () => look(t));
    line.addEventListener("click", () => look(t));
    body.append(line);
  });
  table.append(caption, head, body);
  $("big").replaceChildren(table);
}

/** Every head small, and the mean of each layer: radio buttons, between which a browser moves by arrow keys. */
function drawHeads() {
  $("heads").querySelectorAll(".layer").forEach((layer) => layer.remove());
  for (let layer = 0; layer < model.num_layers; layer++) {
    const group = made("div", "", "layer");
    group.style.setProperty("--columns", model.num_heads + 1);
    for (let head = 0; head <= model.num_heads; head++) group.append(small(layer * (model.num_heads + 1) + head));
    $("heads").append(group);
  }
}

function small(number) {
  const label = made("label"), radio = made("input"), space = $("links").namespaceURI;
  radio.type = "radio";
  radio.name = "head";
  radio.value = number;
  radio.checked = number === shown.head;
  radio.setAttribute("aria-label", headName(number));
  radio.addEventListener("change", () => {
    shown.head = number;
    drawBig();
    look(shown.at);
  });
  const picture = document.createElementNS(space, "svg"), columns = shown.tokens.length;
  picture.setAttribute("viewBox", `0 0 ${columns} ${shown.words.length}`);
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  const cell = (x, y, width, kind, opacity) => {
    const rectangle = document.createElementNS(space, "rect");
    for (const [ name, value ] of Object.entries({ x, y, width, height: 1, class: kind, "fill-opacity": opacity })) rectangle.setAttribute(name, value);
    return rectangle;
  };
  shown.words.forEach((_, t) => weights(number, t).forEach((weight, s) => {
    if (weight >= 0.01) picture.append(cell(s, t, 1, "", weight.toFixed(3)));
  }));
  picture.append(cell(0, Math.max(0, shown.at), columns, "row", 1));
  const head = number % (model.num_heads + 1), layer = Math.floor(number / (model.num_heads + 1)) + 1;
  label.append(radio, picture, made("span", head ? `${layer} · head ${head}` : `Layer ${layer}, mean`));
  return label;
}

new ResizeObserver(() => shown && shown.at >= 0 && drawLinks(weights(shown.head, shown.at))).observe($("pair"));

if (data.examples.length) choose(data.examples[0]);
