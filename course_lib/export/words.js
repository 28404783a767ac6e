// From text to tokens and back, as course_lib/corpus/tokens.py does it, and the words near one that is not known.
"use strict";

/** The tokens of an English sentence: lower case, punctuation apart, "doesn't" written out as "does not". */
function tokenize(text) {
  const plain = text.toLowerCase().replaceAll("’", "'").replace(/\bcan't\b|\bcan not\b/g, "cannot").replace(/n't\b/g, " not");
  return plain.match(/'s(?![\p{L}\p{N}_])|[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*|[^\p{L}\p{N}_\s]/gu) || [];
}

/** The tokens that the network reads: closed by a full stop where nothing closes them. */
function cut(text) {
  const tokens = tokenize(text);
  return tokens.length && !/^[.?]$/.test(tokens.at(-1)) ? [ ...tokens, "." ] : tokens;
}

/** What can be offered while one types, and lists what it knows: all tokens but the four special ones. */
const wordsOf = (tokens) => tokens.slice(4);

/** A token as it is drawn at its place in a sentence. */
const drawn = (token, i, language) => (i ? token : sentence([ token ], language));

/** Whether there is a space before a token: not before a full stop, and not behind an apostrophe in French. */
function spaced(before, token, language) {
  if (before === undefined || token === "." || token === ",") return false;
  return language === "fr" ? !before.endsWith("'") : ![ "?", "'s" ].includes(token);
}

/** The sentence as it is written, with a capital letter where it begins. */
function sentence(tokens, language) {
  const text = tokens.map((token, i) => (spaced(tokens[i - 1], token, language) ? " " : "") + token).join("");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** How many letters must be changed, put in or left out to make one word of another. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [ i ];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

/** Up to three known words that look like one that is not known. */
function near(word, known) {
  const limit = Math.max(1, Math.floor(word.length / 3));
  return known
    .filter((other) => /\p{L}/u.test(other))
    .map((other) => [ distance(word, other), other ])
    .filter(([ edits ]) => edits <= limit)
    .sort(([ a ], [ b ]) => a - b)
    .slice(0, 3)
    .map(([ , other ]) => other);
}
