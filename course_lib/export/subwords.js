// From text to subwords and back, as SentencePiece does it with byte-pair encoding: "▁" stands for the space before a word.
"use strict";

/** The subwords of a text: of each word the letters, and of two neighbours those joined first that were learned first. */
function cut(text) {
  const words = text.normalize("NFKC").trim().split(/\s+/u).filter(Boolean);
  return words.flatMap((word) => merged([ ..."▁", ...word ]));
}

function merged(pieces) {
  for (;;) {
    let first = Infinity, at = -1;
    for (let i = 0; i + 1 < pieces.length; i++) {
      const id = sourceIds.get(pieces[i] + pieces[i + 1]);  // ids are in the order in which they were learned
      if (id !== undefined && id < first) [ first, at ] = [ id, i ];
    }
    if (at < 0) return pieces;
    pieces.splice(at, 2, pieces[at] + pieces[at + 1]);
  }
}

/** Subwords make any word: there is no list of them. */
const wordsOf = () => [];

/** A subword as it is drawn: the space before it is one. */
const drawn = (piece) => piece.replaceAll("▁", "") || "▁";

/** Whether there is a space before a subword. */
const spaced = (before, piece) => before !== undefined && piece.startsWith("▁");

/** The text as it is written. */
const sentence = (pieces) => pieces.join("").replaceAll("▁", " ").trim();

/** No word is unknown, so none is near one. */
const near = () => [];
