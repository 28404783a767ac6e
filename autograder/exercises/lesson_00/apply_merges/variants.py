# %% right: positions in a while loop
def apply_merges(word, merges):
    pieces = list(word)
    for left, right in merges:
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


# %% right: earliest merge first
def apply_merges(word, merges):
    rank = {tuple(pair): i for i, pair in reversed([*enumerate(merges)])}
    pieces = list(word)
    while len(pieces) > 1:
        best = min(zip(pieces, pieces[1:], strict=False), key=lambda pair: rank.get(pair, len(rank)))
        if best not in rank:
            break
        new, i = [], 0
        while i < len(pieces):
            if tuple(pieces[i : i + 2]) == best:
                new.append("".join(best))
                i += 2
            else:
                new.append(pieces[i])
                i += 1
        pieces = new
    return pieces


# %% right: regular expression
def apply_merges(word, merges):
    import re

    text = " ".join(word)
    for left, right in merges:
        text = re.sub(rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)", left + right, text)
    return text.split()


# %% right: one function for each step
def apply_merges(word, merges):
    def step(pieces, pair):
        if len(pieces) < 2:
            return pieces
        if pair == (pieces[0], pieces[1]):
            return [pair[0] + pair[1], *step(pieces[2:], pair)]
        return [pieces[0], *step(pieces[1:], pair)]

    pieces = [*word]
    for pair in merges:
        pieces = step(pieces, tuple(pair))
    return pieces


# %% right: skipped where a piece is missing
def apply_merges(word, merges):
    pieces = [piece for piece in word]
    for a, b in merges:
        if a not in pieces or b not in pieces:
            continue
        out = []
        skip = False
        for i in range(len(pieces)):
            if skip:
                skip = False
            elif i + 1 < len(pieces) and pieces[i] == a and pieces[i + 1] == b:
                out.append(a + b)
                skip = True
            else:
                out.append(pieces[i])
        pieces = out
    return pieces


# %% wrong: any merge at once
# defines: any_merge_at_once
def apply_merges(word, merges):
    pairs = {tuple(pair) for pair in merges}
    joined = []
    for piece in word:
        if joined and (joined[-1], piece) in pairs:
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


# %% wrong: longest piece first
# defines: longest_piece_first
def apply_merges(word, merges):
    known = {left + right for left, right in merges}
    rest, pieces = list(word), []
    while rest:
        size = next(k for k in range(len(rest), 0, -1) if k == 1 or "".join(rest[:k]) in known)
        pieces.append("".join(rest[:size]))
        rest = rest[size:]
    return pieces


# %% wrong: replaced in a string
# defines: ends_of_pieces_joined
def apply_merges(word, merges):
    text = " ".join(word)
    for left, right in merges:
        text = text.replace(f"{left} {right}", left + right)
    return text.split()


# %% wrong: longest known piece from the left
# true: longest_piece_first
def apply_merges(word, merges):
    known = {"".join(pair) for pair in merges}
    pieces, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start + 1 and "".join(word[start:end]) not in known:
            end -= 1
        pieces.append("".join(word[start:end]))
        start = end
    return pieces


# %% wrong: leaves at the first match
# true: first_occurrence_only
def apply_merges(word, merges):
    pieces = list(word)
    for left, right in merges:
        for i in range(len(pieces) - 1):
            if (pieces[i], pieces[i + 1]) == (left, right):
                pieces[i : i + 2] = [left + right]
                break
    return pieces


# %% wrong: up to the last but one
# true: last_piece_lost
def apply_merges(word, merges):
    pieces = list(word)
    for left, right in merges:
        out, i = [], 0
        while i < len(pieces) - 1:
            if (pieces[i], pieces[i + 1]) == (left, right):
                out.append(left + right)
                i += 2
            else:
                out.append(pieces[i])
                i += 1
        pieces = out
    return pieces


# %% wrong: backwards through the list
# true: last_merge_first
def apply_merges(word, merges):
    pieces = list(word)
    for k in range(len(merges) - 1, -1, -1):
        left, right = merges[k]
        i = 0
        while i + 1 < len(pieces):
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


# %% wrong: break when not found
# true: stops_where_a_merge_is_missing
def apply_merges(word, merges):
    pieces = list(word)
    for left, right in merges:
        if (left, right) not in zip(pieces, pieces[1:], strict=False):
            break
        i = 0
        while i + 1 < len(pieces):
            if (pieces[i], pieces[i + 1]) == (left, right):
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


# %% trivial: letters
def apply_merges(word, merges):
    return list(word)


# %% trivial: whole word
def apply_merges(word, merges):
    return ["".join(word)]


# %% trivial: nothing
def apply_merges(word, merges):
    return []
