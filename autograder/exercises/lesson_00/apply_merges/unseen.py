# %% wrong (fifth): str.replace on the pieces with spaces between, so oi and r are joined by (i, r)
# true: ends_of_pieces_joined
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    text = " ".join(word)
    for left, right in merges:
        text = text.replace(left + " " + right, left + right)
    return text.split()


# %% wrong (fifth): each merge joins only its first occurrence in the word
# true: first_occurrence_only
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for left, right in merges:
        for i in range(len(pieces) - 1):
            if pieces[i] == left and pieces[i + 1] == right:
                pieces = pieces[:i] + [left + right] + pieces[i + 2 :]
                break
    return pieces


# %% wrong (fifth): like GPT-2, earlier merges are tried again after later ones made new pieces
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    pieces = list(word)
    while len(pieces) > 1:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, float("inf")))
        if best not in ranks:
            break
        joined, i = [], 0
        while i < len(pieces):
            if i < len(pieces) - 1 and (pieces[i], pieces[i + 1]) == best:
                joined.append(pieces[i] + pieces[i + 1])
                i += 2
            else:
                joined.append(pieces[i])
                i += 1
        pieces = joined
    return pieces


# %% wrong (fifth): each merge goes from right to left, so aaa becomes a and aa
# true: from_the_right
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for left, right in merges:
        i = len(pieces) - 2
        while i >= 0:
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
                i -= 1
            i -= 1
    return pieces


# %% wrong (fifth): goes once through the positions and tries all merges at each, not merge by merge
# true: any_merge_at_once
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    i = 0
    while i < len(pieces) - 1:
        for left, right in merges:
            if i + 1 < len(pieces) and pieces[i] == left and pieces[i + 1] == right:
                pieces[i] = left + right
                del pieces[i + 1]
        i += 1
    return pieces


# %% wrong (fifth): the range keeps the old length after a join, so it stops with an IndexError
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for left, right in merges:
        for i in range(len(pieces) - 1):
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i] = left + right
                pieces.pop(i + 1)
    return pieces


# %% wrong (fifth): a piece can be joined twice: (a, a) makes aa and aa of aaa
# true: pairs_overlap
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for left, right in merges:
        new = []
        for i, piece in enumerate(pieces):
            if piece == left and pieces[i + 1 : i + 2] == [right]:
                new.append(left + right)
            elif i > 0 and pieces[i - 1] == left and piece == right:
                continue  # it is part of the piece before
            else:
                new.append(piece)
        pieces = new
    return pieces


# %% wrong (fifth): loses the last piece of the word if it isn't joined
# true: last_piece_lost
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for left, right in merges:
        result = []
        i = 0
        while i < len(pieces) - 1:
            if (pieces[i], pieces[i + 1]) == (left, right):
                result.append(left + right)
                i += 2
            else:
                result.append(pieces[i])
                i += 1
        pieces = result
    return pieces


# %% wrong (fifth): a list of pieces is cut into letters again
# true: letters_again
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = [letter for part in word for letter in part]
    for left, right in merges:
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


# %% wrong (fifth): compares the joined strings, so (a, bc) joins ab and c as well
# true: joined_text_compared
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for pair in merges:
        wanted = "".join(pair)
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] + pieces[i + 1] == wanted:
                pieces[i : i + 2] = [wanted]
            i += 1
    return pieces


# %% right (fifth): a stack, whose top is joined with the next piece
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = [*word]
    for left, right in merges:
        stack: list[str] = []
        for piece in pieces:
            if stack and stack[-1] == left and piece == right:
                stack[-1] = left + right  # longer than left, so it isn't joined again
            else:
                stack.append(piece)
        pieces = stack
    return pieces


# %% right (fifth): slices are compared, and a slice past the end never equals a pair
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    pieces = list(word)
    for pair in merges:
        for i in range(len(pieces)):
            if tuple(pieces[i : i + 2]) == tuple(pair):
                pieces[i : i + 2] = ["".join(pair)]
    return pieces


# %% right (fifth): keeps the cuts between pieces and removes those that a merge joins
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    text = "".join(word)
    bounds = [0]
    for piece in word:
        bounds.append(bounds[-1] + len(piece))
    for left, right in merges:
        removed = set()
        k = 1
        while k < len(bounds) - 1:
            start, middle, stop = bounds[k - 1], bounds[k], bounds[k + 1]
            if text[start:middle] == left and text[middle:stop] == right:
                removed.add(k)
                k += 1  # the right piece is used up
            k += 1
        bounds = [bound for k, bound in enumerate(bounds) if k not in removed]
    return [text[start:stop] for start, stop in pairwise(bounds)]


# %% right (fifth): a generator with one piece in hand, folded over the merges
def apply_merges(word: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    from functools import reduce

    def join(pieces, merge):
        left, right = merge
        held = None
        for piece in pieces:
            if held == left and piece == right:
                yield held + piece
                held = None
            else:
                if held is not None:
                    yield held
                held = piece
        if held is not None:
            yield held

    return reduce(lambda pieces, merge: list(join(pieces, merge)), merges, list(word))
