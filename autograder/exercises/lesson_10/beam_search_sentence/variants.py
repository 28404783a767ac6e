def beam_of_one(
    logs=lambda x: x.log_softmax(-1),
    score=lambda total, count: total,
    from_=1,
    more=0,
    begin="bos",
    stop=all,
    place=-1,
    worst=False,
    returned=lambda total, count: total,
):
    """Beam search with dictionaries, one thing changed."""

    def search(model, source, bos_id, eos_id, max_length, width):
        encoded = model.encode(source)
        beam = [{"ids": (bos_id if begin == "bos" else model.pad_id,), "total": 0.0, "score": 0.0, "ended": False}]
        for _ in range(max_length + more):
            grown = [h for h in beam if h["ended"]]
            for h in beam:
                if not h["ended"]:
                    logits = model.decode(torch.tensor(h["ids"]).unsqueeze(0), *encoded)[0, place]
                    for token, step in enumerate(logs(logits).tolist()):
                        total = h["total"] + step
                        new = {"ids": (*h["ids"], token), "total": total, "score": score(total, len(h["ids"]))}
                        grown.append({**new, "ended": token == eos_id})
            grown.sort(key=lambda h: -h["score"])
            beam = grown[:width]
            if stop(h["ended"] for h in beam):
                break
        best = beam[-1 if worst else 0]
        return list(best["ids"][from_:]), returned(best["total"], len(best["ids"]) - 1)

    return search


# %% right: a heap of candidates
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    from heapq import nlargest

    memory, mask = model.encode(source)
    beam = [(0.0, (bos_id,))]
    while any(ids[-1] != eos_id for _, ids in beam) and max(len(ids) for _, ids in beam) <= max_length:
        candidates = []
        for total, ids in beam:
            if ids[-1] == eos_id:
                candidates.append((total, ids))
            else:
                log_p = F.log_softmax(model.decode(torch.tensor([ids]), memory, mask)[:, -1], dim=-1)[0]
                candidates.extend((total + p.item(), (*ids, v)) for v, p in enumerate(log_p))
        beam = nlargest(width, candidates)
    total, ids = max(beam)
    return list(ids[1:]), total


# %% right: the best few of each, then of all
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    encoded = model.encode(source)
    running, ended = [([], 0.0)], []
    for _ in range(max_length):
        grown = []
        for ids, total in running:
            logits = model.decode(torch.tensor([[bos_id] + ids]), *encoded)[0, -1]
            best = logits.log_softmax(0).topk(min(width, len(logits)))
            for step, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                grown.append((ids + [token], total + step))
        kept = sorted(ended + grown, key=lambda h: h[1])[::-1][:width]
        running = [h for h in kept if h[0][-1] != eos_id]
        ended = [h for h in kept if h[0][-1] == eos_id]
        if not running:
            break
    return max(running + ended, key=lambda h: h[1])


# %% right: a tensor of candidates
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    memory, memory_mask = model.encode(source)
    rows, totals = [[bos_id]], torch.zeros(1)
    for _ in range(max_length):
        table = []
        for ids, total in zip(rows, totals, strict=True):
            log_p = model.decode(torch.tensor([ids]), memory, memory_mask)[0, -1].log_softmax(-1)
            if ids[-1] == eos_id:
                log_p = torch.full_like(log_p, -torch.inf)
                log_p[eos_id] = 0.0  # it stays as it is
            table.append(total + log_p)
        flat = torch.cat(table)
        totals, best = flat.topk(min(width, len(flat)))
        old, tokens = rows, [int(i) % len(log_p) for i in best]
        rows = []
        for i, token in zip(best.tolist(), tokens, strict=True):
            parent = old[i // len(log_p)]
            rows.append(parent if parent[-1] == eos_id else [*parent, token])
    return rows[0][1:], float(totals[0])


# %% right: stops when the best has ended, because the others can only fall
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    with torch.no_grad():
        encoded = model.encode(source)
        beam = {(bos_id,): 0.0}
        for _ in range(max_length):
            new = {}
            for ids, total in beam.items():
                if ids[-1] == eos_id:
                    new[ids] = total
                    continue
                probabilities = model.decode(torch.tensor([ids]), *encoded)[0, -1].softmax(dim=-1).tolist()
                for token, probability in enumerate(probabilities):
                    new[(*ids, token)] = total + math.log(probability) if probability > 0 else -math.inf
            best_first = sorted(new, key=new.get, reverse=True)[:width]
            beam = {ids: new[ids] for ids in best_first}
            if best_first[0][-1] == eos_id:
                break
        winner = best_first[0]
        return list(winner)[1:], beam[winner]


# %% right: all running hypotheses are decoded at once
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    memory, mask = model.encode(source)
    beam = [(0.0, [bos_id], False)]
    for _ in range(max_length):
        running = [h for h in beam if not h[2]]
        if not running:
            break
        k = len(running)
        target = torch.tensor([ids for _, ids, _ in running])
        log_p = model.decode(target, memory.expand(k, -1, -1), mask.expand(k, -1, -1, -1))[:, -1].log_softmax(-1)
        candidates = [h for h in beam if h[2]]
        for row, (total, ids, _) in zip(log_p.tolist(), running, strict=True):
            candidates += [(total + p, [*ids, token], token == eos_id) for token, p in enumerate(row)]
        candidates.sort(key=lambda h: h[0], reverse=True)
        beam = candidates[:width]
    return beam[0][1][1:], beam[0][0]


# %% wrong: put aside
# defines: ended_ones_give_up_their_place
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    memory, mask = model.encode(source)
    beam, done = [([bos_id], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            log_p = model.decode(torch.tensor([tokens]), memory, mask)[0, -1].log_softmax(-1).tolist()
            candidates += [([*tokens, v], total + p) for v, p in enumerate(log_p)]
        candidates.sort(key=lambda c: c[1], reverse=True)
        done += [c for c in candidates[:width] if c[0][-1] == eos_id]
        beam = [c for c in candidates if c[0][-1] != eos_id][:width]
    tokens, total = max([*done, *beam], key=lambda c: c[1])
    return tokens[1:], total


# %% wrong: probabilities added
# true: probabilities_added
beam_search_sentence = beam_of_one(logs=lambda x: x.softmax(-1))


# %% wrong: logits added
# true: logits_added
beam_search_sentence = beam_of_one(logs=lambda x: x)


# %% wrong: chosen by the mean
# true: chosen_by_the_mean
beam_search_sentence = beam_of_one(score=lambda total, count: total / count)


# %% wrong: chosen by the mean, which is returned
# true: chosen_by_the_mean, mean_returned
beam_search_sentence = beam_of_one(
    score=lambda total, count: total / count, returned=lambda total, count: total / count
)


# %% wrong: begin kept
# true: begin_kept
beam_search_sentence = beam_of_one(from_=0)


# %% wrong: one token too few
# true: one_token_too_few
beam_search_sentence = beam_of_one(more=-1)


# %% wrong: one token too many
# true: one_token_too_many
beam_search_sentence = beam_of_one(more=1)


# %% wrong: begins with padding
# true: begins_with_padding
beam_search_sentence = beam_of_one(begin="pad")


# %% wrong: stops with the first
# true: stops_with_the_first
beam_search_sentence = beam_of_one(stop=any)


# %% wrong: first position
# true: first_position
beam_search_sentence = beam_of_one(place=0)


# %% wrong: worst returned
# true: worst_returned
beam_search_sentence = beam_of_one(worst=True)


# %% wrong: copies of the first hypothesis
# true: greedy_whatever_the_width
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)] * width
    for _ in range(max_length):
        grown = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                grown.append((ids, total))
            else:
                steps = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(-1).tolist()
                grown += [(ids + [token], total + step) for token, step in enumerate(steps)]
        beam = sorted(grown, key=lambda h: h[1], reverse=True)[:width]
    return beam[0][0][1:], beam[0][1]


# %% wrong: only the likeliest continuation of each
# true: greedy_whatever_the_width
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    encoded = model.encode(source)
    beam = [([bos_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                grown.append((ids, total))
                continue
            step, token = model.decode(torch.tensor([ids]), *encoded)[0, -1].log_softmax(-1).max(-1)
            grown.append((ids + [int(token)], total + float(step)))
        beam = sorted(grown, key=lambda h: -h[1])[:width]
    return beam[0][0][1:], beam[0][1]


# %% trivial: nothing
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    return [], 0.0


# %% trivial: the end at once
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    return [eos_id], -1.0


# %% trivial: the source again
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    return source[0].tolist(), 0.0


# %% trivial: greedy
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    memory, mask = model.encode(source)
    ids, total = [bos_id], 0.0
    while ids[-1] != eos_id and len(ids) <= max_length:
        step, token = model.decode(torch.tensor([ids]), memory, mask)[0, -1].log_softmax(-1).max(-1)
        ids, total = [*ids, int(token)], total + float(step)
    return ids[1:], total


# %% trivial: noise
def beam_search_sentence(model, source, bos_id, eos_id, max_length, width):
    return torch.randint(3, 6, (max_length,)).tolist(), float(torch.randn(()))
