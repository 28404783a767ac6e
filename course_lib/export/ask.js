// Asking: what is typed goes through the network, and the translation is written word by word; look.js shows where it looked.
"use strict";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const sourceIds = new Map(data.source.map((token, id) => [ token, id ]));
const targetTokens = data.target.length ? data.target : data.source;  // where both share their tokens, there is one list
const [ readIn, writtenIn ] = data.languages;
const END = targetTokens[2];
const known = wordsOf(data.source);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const percent = (share) => (share < 0.001 ? "under 0.1%" : `${(100 * share).toFixed(share > 0.0995 ? 0 : 1)}%`);

/** An element with a class and a text; the text is never read as markup. */
function made(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

// --- the translator ---

function network() {
  const text = atob($("weights").textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return new Transformer(readTensors(bytes), data.settings);
}
const model = network();

/** What a console can ask of this page: translator.translate("The cat sleeps."). */
window.translator = {
  model,
  translate: (text) => sentence(written([ ...model.greedy(cut(text).map(idOf)) ]), writtenIn),
  cut,
  tokens: (tokens) => written([ ...model.greedy(tokens.map(idOf)) ]),
  /** The logits of what comes after each of the target's ids, (T, V). */
  logits: (source, target) => {
    const kept = model.begin(model.encode(source));
    return target.map((id) => Array.from(model.step(kept, id).logits));
  },
};

function idOf(token) {
  if (!sourceIds.has(token)) throw new RangeError(`It does not know “${token}”.`);
  return sourceIds.get(token);
}

function written(steps) {
  return steps.filter(({ id }) => id !== model.eos).map(({ id }) => targetTokens[id]);
}

// --- asking ---

let shown = null;  // the translation on the page: its tokens, its steps, the word and the head that are looked at
let asked = 0;

// JupyterLab shows pages in a frame in which no form can be submitted, so the button and Enter are handled here
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  translateTyped();
});
$("go").addEventListener("click", translateTyped);

function translateTyped() {
  hideCompletions();
  translate($("english").value);
}

/** Say what is wrong with a sentence, or translate it. */
function translate(text, reference) {
  const tokens = cut(text), longest = Math.floor(model.max_length / 2);
  const unknown = [ ...new Set(tokens.filter((token) => !sourceIds.has(token))) ];
  $("trouble").replaceChildren();
  $("english").setAttribute("aria-invalid", String(Boolean(unknown.length) || !tokens.length));
  if (!tokens.length) return trouble("Write a sentence first, or choose one below.");
  if (tokens.length > longest) return trouble(`It reads at most ${longest} words and marks at once; these are ${tokens.length}.`);
  if (unknown.length) return unknown.forEach(nameUnknown);
  return write(tokens, reference);
}

/** Say a sentence or two about what was typed, each time in a paragraph of its own. */
function trouble(...parts) {
  const paragraph = made("p");
  paragraph.append(...parts);
  $("trouble").append(paragraph);
}

/** Name a word or a mark that it has not learned, and offer what it has. */
function nameUnknown(token) {
  if (!/[\p{L}\p{N}]/u.test(token)) return trouble(`It has not learned the mark “${token}”. `, offer("Translate without it", token, ""));
  if (!known.length) return trouble(`It has never met “${token}”. `, offer("Translate without it", token, ""));
  const others = near(token, known), said = `“${token}” is not among the ${known.length} words it has learned. `;
  if (!others.length) return trouble(said, "They are listed at the end of this page.");
  return trouble(said, "Did you mean ", ...others.flatMap((other, i) => [ i ? " or " : "", offer(other, token, other) ]), "?");
}

/** A button that puts something else in a token's place, and translates. */
function offer(label, token, other) {
  const button = made("button", label);
  button.type = "button";
  button.addEventListener("click", () => {
    const letter = "[\\p{L}\\p{N}_]", exact = token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const whole = /[\p{L}\p{N}]/u.test(token) ? `(?<!${letter})${exact}(?!${letter})` : exact;
    $("english").value = $("english").value.replace(new RegExp(whole, "giu"), other).trim();
    $("english").focus();
    translate($("english").value);
  });
  return button;
}

/** Write the translation, a word at a time. */
async function write(tokens, reference) {
  const mine = ++asked, start = performance.now();
  const steps = [ ...model.greedy(tokens.map(idOf)) ];
  const milliseconds = performance.now() - start;
  const head = shown ? shown.head : (model.num_layers - 1) * (model.num_heads + 1);  // at first the mean of the last layer
  shown = { tokens, steps, words: steps.map(({ id }) => targetTokens[id]), at: -1, head };
  $("source").replaceChildren();
  tokens.forEach((token, i) => place($("source"), made("span", drawn(token, i, readIn), "word"), tokens, i, readIn));
  $("target").replaceChildren();
  $("links").replaceChildren();
  $("detail").replaceChildren();
  $("said").textContent = "";
  $("reference").hidden = true;
  $("result").hidden = false;
  drawHeads();
  drawBig();
  $("attention").hidden = false;
  $("target").classList.add("writing");
  for (let t = 0; t < shown.words.length; t++) {
    if (t && !calm.matches) await new Promise((resolve) => setTimeout(resolve, 140));
    if (mine !== asked) return;
    place($("target"), wordButton(shown.words[t], t), shown.words, t, writtenIn);
    look(t);
  }
  $("target").classList.remove("writing");
  const translation = sentence(written(steps), writtenIn);
  $("said").textContent = `In ${data.target_language}: ${translation}`;
  look(mostTelling());
  tell(translation, reference, milliseconds);
}

/** Put a word behind those before it; what is written without a space, or is a question mark, stays on their line. */
function place(line, element, tokens, i, language) {
  const parts = spaced(tokens[i - 1], tokens[i], language), mark = tokens[i] === "?";
  if (!i || (parts && !mark)) {
    if (i) line.append(" ");
    line.append(made("span", "", "glued"));
  } else if (parts) line.lastChild.append("\u00a0");
  line.lastChild.append(element);
}

/** What the sentence's author has, where it is known and another; and how long it took. */
function tell(translation, reference, milliseconds) {
  const took = `Translated in ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms, in this page.`;
  const same = reference === undefined ? "" : reference === translation ? " It is right to the last word." : " The grammar that made this sentence has: ";
  $("reference").replaceChildren(took, same);
  if (reference !== undefined && reference !== translation) {
    const right = made("span", reference);
    right.lang = writtenIn;
    $("reference").append(right);
  }
  $("reference").hidden = false;
}

// --- words that it knows, while one types ---

/** The word that the cursor stands behind, and where it begins. */
function begun() {
  const text = $("english").value.slice(0, $("english").selectionStart), [ word ] = text.match(/[\p{L}\p{N}-]*$/u);
  return { word: word.toLowerCase(), from: text.length - word.length, to: text.length };
}

$("english").addEventListener("input", () => {
  const { word } = begun();
  $("trouble").replaceChildren();
  $("english").removeAttribute("aria-invalid");
  const fitting = word ? known.filter((other) => other.startsWith(word)) : [];
  if (!fitting.length || fitting.includes(word)) return hideCompletions();
  $("completions").replaceChildren(...fitting.slice(0, 6).map((other, i) => {
    const item = made("li", other);
    item.id = `completion-${i}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); complete(other); });
    return item;
  }));
  $("completions").hidden = false;
  $("english").setAttribute("aria-expanded", "true");
  return undefined;
});

function hideCompletions() {
  $("completions").hidden = true;
  $("completions").replaceChildren();
  $("english").setAttribute("aria-expanded", "false");
  $("english").removeAttribute("aria-activedescendant");
}

function complete(word) {
  const { from, to } = begun(), input = $("english");
  input.setRangeText(`${word} `, from, to, "end");
  hideCompletions();
}

$("english").addEventListener("keydown", (event) => {
  const items = [ ...$("completions").children ], at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "Enter" && at >= 0) complete(items[at].textContent);
  else if (event.key === "Enter" && !event.isComposing) translateTyped();
  else if (!items.length) return;
  else if (event.key === "Escape") hideCompletions();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const to = (at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === to)));
    $("english").setAttribute("aria-activedescendant", items[to].id);
  } else return;
  event.preventDefault();
});
$("english").addEventListener("blur", hideCompletions);

// --- sentences to choose from ---

function choose(text, reference) {
  $("english").value = text;
  hideCompletions();
  translate(text, reference);
}

for (const text of data.examples) {
  const chip = made("button", text);
  chip.type = "button";
  chip.addEventListener("click", () => choose(text));
  $("chips").append(chip);
}
let next = Math.floor(Math.random() * data.unseen.length);
$("another").addEventListener("click", () => {
  const [ source, target ] = data.unseen[next++ % data.unseen.length];
  choose(sentence(source.split(" "), readIn), sentence(target.split(" "), writtenIn));
});
for (const [ id, [ source, target ] ] of Object.entries(data.failing)) {
  $(id)?.addEventListener("click", () => {
    choose(source, target || undefined);
    $("ask").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
  });
}
if ($("words")) $("words").textContent = known.filter((word) => /\p{L}/u.test(word)).sort().join("\n");
document.querySelector(".examples").hidden = !data.examples.length && !data.unseen.length;
$("another").hidden = !data.unseen.length;
