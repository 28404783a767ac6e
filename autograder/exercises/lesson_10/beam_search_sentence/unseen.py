# %% wrong (sixth): an ended hypothesis always keeps its place, even when K others are better
# true: ended_ones_never_leave
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        ended = [h for h in beam if h[0][-1] == eos_id]
        running = [h for h in beam if h[0][-1] != eos_id]
        if not running:
            break
        candidates = []
        for ids, total in running:
            logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(dim=-1).tolist()
            for word, log in enumerate(logs):
                candidates.append((ids + [word], total + log))
        candidates.sort(key=lambda h: h[1], reverse=True)
        beam = ended + candidates[: width - len(ended)]
    ids, total = max(beam, key=lambda h: h[1])
    return ids[1:], total


# %% wrong (sixth): ended ones go to a second list and K others go on, until K have ended
# true: ended_ones_give_up_their_place
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, memory_mask = model.encode(source)
    beam = [([bos_id], 0.0)]
    finished = []
    for _ in range(max_length):
        candidates = []
        for ids, total in beam:
            logits = model.decode(torch.tensor([ids]), memory, memory_mask)
            log_probs = torch.log_softmax(logits[0, -1], dim=-1).tolist()
            candidates += [(ids + [token], total + lp) for token, lp in enumerate(log_probs)]
        candidates.sort(key=lambda c: c[1], reverse=True)

        beam = []
        for ids, total in candidates:
            if ids[-1] == eos_id:
                finished.append((ids, total))
            else:
                beam.append((ids, total))
            if len(beam) == width:
                break
        if len(finished) >= width:
            break

    ids, total = max(finished + beam, key=lambda c: c[1])
    return ids[1:], total


# %% wrong (sixth): at the end, a hypothesis that has ended wins over a better one that has not
# true: ended_ones_win
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, score in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, score))
                continue
            logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(-1)
            for token, log in enumerate(logs.tolist()):
                candidates.append((ids + [token], score + log))
        beam = sorted(candidates, key=lambda c: c[1], reverse=True)[:width]
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
    complete = [h for h in beam if h[0][-1] == eos_id]
    best_ids, best_score = (complete or beam)[0]
    return best_ids[1:], best_score


# %% wrong (sixth): the search stops as soon as any one of the hypotheses has ended
# true: stops_with_the_first
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, mask = model.encode(source)
    hypotheses = [([bos_id], 0.0)]
    step = 0
    while step < max_length:
        candidates = []
        for ids, total in hypotheses:
            logs = model.decode(torch.tensor([ids]), memory, mask)[:, -1].log_softmax(dim=-1)
            for token, value in enumerate(logs[0].tolist()):
                candidates.append((ids + [token], total + value))
        candidates.sort(key=lambda pair: -pair[1])
        hypotheses = candidates[:width]
        step += 1
        if any(ids[-1] == eos_id for ids, _ in hypotheses):
            break
    ids, total = hypotheses[0]
    return ids[1:], total


# %% wrong (sixth): the winner is chosen by the mean log-probability per token instead of the sum
# true: winner_by_the_mean
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
        candidates = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, total))
            else:
                logs = F.log_softmax(model.decode(torch.tensor([ids]), *encoded)[0, -1], dim=-1).tolist()
                candidates.extend((ids + [i], total + log) for i, log in enumerate(logs))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:width]
    # long sentences should not be punished
    ids, total = max(beam, key=lambda h: h[1] / (len(h[0]) - 1))
    return ids[1:], total


# %% wrong (sixth): the first beam holds K copies of bos, which remain copies
# true: greedy_whatever_the_width
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, memory_mask = model.encode(source)
    beams = [[bos_id] for _ in range(width)]
    scores = [0.0] * width
    for _ in range(max_length):
        candidates = []
        for beam, score in zip(beams, scores):
            if beam[-1] == eos_id:
                candidates.append((score, beam))
                continue
            out = model.decode(torch.tensor([beam]), memory, memory_mask)  # (1, t, V)
            for token, log_p in enumerate(out[0, -1].log_softmax(dim=-1).tolist()):
                candidates.append((score + log_p, [*beam, token]))
        candidates.sort(key=lambda c: c[0], reverse=True)
        scores = [c[0] for c in candidates[:width]]
        beams = [c[1] for c in candidates[:width]]
        if all(beam[-1] == eos_id for beam in beams):
            break
    return beams[0][1:], scores[0]


# %% wrong (sixth): topk(width) over the V words of a hypothesis, an error when V < K
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    with torch.no_grad():
        encoded = model.encode(source)
        beam = [([bos_id], 0.0)]
        for _ in range(max_length):
            candidates = []
            for ids, total in beam:
                if ids[-1] == eos_id:
                    candidates.append((ids, total))
                    continue
                logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(dim=-1)
                # only the K best words of a hypothesis can be among the K best of all
                values, tokens = logs.topk(width)
                for value, token in zip(values.tolist(), tokens.tolist()):
                    candidates.append((ids + [token], total + value))
            candidates.sort(key=lambda h: h[1], reverse=True)
            beam = candidates[:width]
            if all(ids[-1] == eos_id for ids, _ in beam):
                break
    return beam[0][0][1:], beam[0][1]


# %% wrong (sixth): decode gets only the last token of a hypothesis, as an RNN would
# true: only_the_last_token
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, memory_mask = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, total in beam:
            last = ids[-1]
            if last == eos_id:
                candidates.append((ids, total))
                continue
            logits = model.decode(torch.tensor([[last]]), memory, memory_mask)[0, -1]
            logs = logits.log_softmax(dim=-1).tolist()
            candidates += [(ids + [word], total + log) for word, log in enumerate(logs)]
        candidates.sort(key=lambda h: h[1], reverse=True)
        beam = candidates[:width]
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
    winner, score = beam[0]
    return winner[1:], score


# %% wrong (sixth): the log-probability of eos is not added to the sum
# true: end_costs_nothing
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, total))
                continue
            logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(dim=-1).tolist()
            for token in range(len(logs)):
                if token == eos_id:
                    # finished: nothing more is written
                    candidates.append((ids + [eos_id], total))
                else:
                    candidates.append((ids + [token], total + logs[token]))
        beam = sorted(candidates, key=lambda c: c[1], reverse=True)[:width]
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
    return beam[0][0][1:], beam[0][1]


# %% wrong (sixth): no hypothesis is ever extended by bos_id, although every token is a candidate
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, total))
                continue
            logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(dim=-1).tolist()
            for token, log in enumerate(logs):
                if token == bos_id:  # nobody writes bos
                    continue
                candidates.append((ids + [token], total + log))
        candidates.sort(key=lambda h: h[1], reverse=True)
        beam = candidates[:width]
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
    ids, total = beam[0]
    return ids[1:], total


# %% wrong (sixth): multiplies probabilities, log only at the end, so long ones underflow to 0
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, memory_mask = model.encode(source)
    beam = [([bos_id], torch.tensor(1.0))]
    for _ in range(max_length):
        candidates = []
        for ids, probability in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, probability))
                continue
            p = model.decode(torch.tensor([ids]), memory, memory_mask)[0, -1].softmax(dim=-1)  # (V,)
            for token, product_so_far in enumerate(probability * p):
                candidates.append((ids + [token], product_so_far))
        candidates.sort(key=lambda h: h[1].item(), reverse=True)
        beam = candidates[:width]
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
    ids, probability = beam[0]
    return ids[1:], probability.log().item()


# %% wrong (sixth): bos counts towards max_length; and the score is a tensor, not a float
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    beam = [([bos_id], torch.tensor(0.0))]
    while True:
        going_on = [ids for ids, _ in beam if ids[-1] != eos_id]
        if not going_on or len(going_on[0]) >= max_length:
            break
        candidates = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, total))
            else:
                logs = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(dim=-1)
                for token in range(logs.shape[0]):
                    candidates.append((ids + [token], total + logs[token]))
        candidates.sort(key=lambda h: h[1], reverse=True)
        beam = candidates[:width]
    ids, total = beam[0]
    return ids[1:], total


# %% right (sixth): a generator of candidates and heapq.nlargest instead of a sorted list
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    from heapq import nlargest

    encoded = model.encode(source)

    def successors(ids, total):
        if ids[-1] == eos_id:
            yield ids, total
        else:
            scores = model.decode(torch.tensor([ids]), *encoded)[0, -1]
            for word, log in enumerate(torch.log_softmax(scores, dim=0).tolist()):
                yield [*ids, word], total + log

    beam, written = [([bos_id], 0.0)], 0
    while written < max_length and any(ids[-1] != eos_id for ids, _ in beam):
        candidates = (child for hypothesis in beam for child in successors(*hypothesis))
        beam = nlargest(width, candidates, key=lambda h: h[1])
        written += 1
    (_, *ids), total = beam[0]
    return ids, total


# %% right (sixth): every candidate is inserted into a short list that never holds more than K
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    memory, memory_mask = model.encode(source)

    def insert(best, ids, total):
        place = 0
        while place < len(best) and best[place][1] >= total:
            place += 1
        if place < width:
            best.insert(place, (ids, total))
            if len(best) > width:
                best.pop()

    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        best = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                insert(best, ids, total)
                continue
            logits = model.decode(torch.tensor([ids]), memory, memory_mask)
            logs = logits[0, -1, :].log_softmax(dim=-1).tolist()
            for token in range(len(logs)):
                insert(best, ids + [token], total + logs[token])
        beam = best
        unfinished = 0
        for ids, _ in beam:
            if ids[-1] != eos_id:
                unfinished += 1
        if unfinished == 0:
            break
    winner = beam[0]
    return winner[0][1:], winner[1]


# %% right (sixth): nodes that point to their parents, the words are read backwards
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    def path(node):
        words = []
        while node is not None:
            _, word, node = node
            words.append(word)
        return words[::-1]

    with torch.no_grad():
        encoded = model.encode(source)
        frontier = [(0.0, bos_id, None)]  # (sum, word, parent)
        for _ in range(max_length):
            if all(word == eos_id for _, word, _ in frontier):
                break
            candidates = []
            for node in frontier:
                total, word, _ = node
                if word == eos_id:
                    candidates.append(node)
                else:
                    logits = model.decode(torch.tensor([path(node)]), *encoded)[0, -1]
                    candidates += [(total + log, w, node) for w, log in enumerate(logits.log_softmax(-1).tolist())]
            candidates.sort(key=lambda node: -node[0])
            frontier = candidates[:width]
        return path(frontier[0])[1:], frontier[0][0]


# %% right (sixth): the candidates' sums in one tensor, and topk of at most as many as there are
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    prefixes = [[bos_id]]
    sums = torch.zeros(1, dtype=torch.float64)
    for _ in range(max_length):
        pieces, grown = [], []
        for prefix, total in zip(prefixes, sums):
            if prefix[-1] == eos_id:
                pieces.append(total.reshape(1))
                grown.append(prefix)
            else:
                logs = F.log_softmax(model.decode(torch.tensor([prefix]), *encoded)[0, -1], dim=-1)  # (V,)
                pieces.append(total + logs.double())
                grown.extend(prefix + [word] for word in range(len(logs)))
        everything = torch.cat(pieces)
        sums, places = everything.topk(min(width, len(everything)))
        prefixes = [grown[place] for place in places.tolist()]
        if all(prefix[-1] == eos_id for prefix in prefixes):
            break
    return prefixes[0][1:], sums[0].item()


# %% right (sixth): keeps a list of log-probabilities, adds with math.fsum; logsumexp
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    import math

    memory, memory_mask = model.encode(source)

    def score(hypothesis):
        return math.fsum(hypothesis["logs"])

    def ended(hypothesis):
        return hypothesis["ids"][-1] == eos_id

    def children(hypothesis):
        if ended(hypothesis):
            return [hypothesis]
        target = torch.tensor(hypothesis["ids"]).unsqueeze(0)  # (1, t)
        logits = model.decode(target, memory, memory_mask)[0, -1]  # (V,)
        logs = (logits - logits.logsumexp(dim=-1)).tolist()
        return [
            {"ids": hypothesis["ids"] + [token], "logs": hypothesis["logs"] + [log]} for token, log in enumerate(logs)
        ]

    beam = [{"ids": [bos_id], "logs": []}]
    for _ in range(max_length):
        beam = sorted(sum(map(children, beam), []), key=score, reverse=True)[:width]
        if all(map(ended, beam)):
            break
    best = max(beam, key=score)
    return best["ids"][1:], score(best)


# %% right (sixth): two lists, live and ended, compete for K places; topk per parent
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    encoded = model.encode(source)
    live, ended = [(0.0, (bos_id,))], []
    remaining = max_length
    while live and remaining > 0:
        pool = list(ended)
        for total, ids in live:
            logs = model.decode(torch.tensor([list(ids)]), *encoded)[0, -1].log_softmax(dim=-1)
            best = logs.topk(min(width, logs.numel()))  # no more than K children of one parent can survive
            for log, token in zip(best.values.tolist(), best.indices.tolist()):
                pool.append((total + log, (*ids, token)))
        survivors = sorted(pool, reverse=True)[:width]
        ended = [h for h in survivors if h[1][-1] == eos_id]
        live = [h for h in survivors if h[1][-1] != eos_id]
        remaining -= 1
    total, ids = max(ended + live)
    return list(ids[1:]), total
