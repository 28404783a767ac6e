"""Byte-pair merges, applied: how a word is cut into pieces.

Each merge makes one pass over the pieces, and a piece that completes a pair is glued to the last one that was kept.
Going from left to right this way never uses a piece twice.
"""

from collections.abc import Sequence


def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    """Cut a word into pieces: begin with its letters, and apply one merge after the other.

    A merge ``(left, right)`` joins every piece ``left`` that is directly followed by ``right``. It goes
    from left to right, and a piece is joined once: ``("a", "a")`` makes ``["aa", "a"]`` of ``"aaa"``.

    Args:
        word: a string, whose letters are the first pieces, or a list of pieces.
        merges: pairs of pieces, in the order in which they are applied. Many don't occur in the word.

    Returns:
        The pieces of the word, in order. Joined together they are the word again.

    Source: Sennrich et al. 2016, section 3.2.
    """
    pieces = list(word)
    for left, right in merges:
        joined: list[str] = []
        for piece in pieces:
            if joined and (joined[-1], piece) == (left, right):
                joined[-1] = left + right
            else:
                joined.append(piece)
        pieces = joined
    return pieces
