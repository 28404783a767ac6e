# %% wrong: the words are not taken along with their parent, a word is appended to whatever stood in its place
# true: history_not_taken_along
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: whether a hypothesis has ended stays with the place in the beam, it is not taken from the parent
# true: ends_not_taken_along
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch, pad = source.shape[0], model.pad_id

    def log_probs(tokens, mem, mem_mask):
        return model.decode(tokens, mem, mem_mask)[:, -1, :].log_softmax(-1)

    # first step: there is one hypothesis only
    tokens = torch.full((batch, 1), bos_id, dtype=torch.long)
    logp = log_probs(tokens, memory, memory_mask)
    vocab = logp.size(-1)
    if width > vocab:
        logp = F.pad(logp, (0, width - vocab), value=float("-inf"))
    total, first = logp.topk(width, dim=-1)
    first = first.clamp(max=vocab - 1)
    tokens = torch.cat([torch.full((batch * width, 1), bos_id), first.reshape(-1, 1)], dim=1)
    total = total.reshape(-1)
    done = tokens[:, -1] == eos_id
    length = torch.ones_like(total)

    idx = torch.arange(batch).repeat_interleave(width)
    memory, memory_mask = memory[idx], memory_mask[idx]
    offset = (torch.arange(batch) * width).unsqueeze(1)
    for step in range(1, max_length):
        if bool(done.all()):
            break
        logp = log_probs(tokens, memory, memory_mask)
        logp[done] = float("-inf")
        logp[done, pad] = 0.0
        candidate = total[:, None] + logp
        candidate_length = (length + (~done).to(length.dtype))[:, None].expand_as(candidate)
        ranking = (candidate / candidate_length.pow(alpha)).reshape(batch, width * vocab)
        _, flat = torch.topk(ranking, width, dim=1)
        beam_index = (torch.div(flat, vocab, rounding_mode="floor") + offset).reshape(-1)
        token_index = flat.remainder(vocab).reshape(-1)
        total = candidate[beam_index, token_index]
        length = candidate_length[beam_index, token_index]
        done = done | (token_index == eos_id)
        tokens = torch.cat([tokens[beam_index], token_index[:, None]], dim=1)

    final = (total / length.pow(alpha)).reshape(batch, width)
    best_scores, which = final.max(dim=1)
    chosen = which + offset.squeeze(1)
    result = tokens[chosen, 1:]
    return result[:, : int(length[chosen].max())], best_scores

# %% wrong: every hypothesis is divided by the number of steps so far, an ended one by more than its own length
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for t in range(1, max_length + 1):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / t**alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / t**alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: it begins with K copies of the empty hypothesis, and they stay copies
# true: greedy_whatever_the_width
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.zeros(B, K)
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: the length penalty is used for choosing the winner only, the K are kept by their sums
# true: penalty_at_the_end_only
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        index = totals.view(B, K * V).topk(K, dim=-1)[1]
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: an ended hypothesis goes on with any word, as if it had not ended
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / (len(tokens) - 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = []
            running = beam
            if all(h[2] for h in beam):
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, ended), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, ended or w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: the search of a sentence stops as soon as its best hypothesis has ended, others could still overtake it
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / (len(tokens) - 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
            if beam[0][2]:
                break
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: it divides by a power of (5 + length)/6, the penalty of Wu et al.
# true: penalty_of_wu
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        length = len(tokens) - 1
        penalty = ((5 + length) / 6) ** alpha
        return total / penalty

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: of each hypothesis only its best continuation is kept, none may have two children
# true: each_its_own_best
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        if words.size(-1) == 1:  # the first step: only one hypothesis
            word = scores[:, 0].topk(K, dim=-1).indices if K <= V else torch.arange(K).remainder(V).expand(B, K)
            parent = torch.zeros_like(word)
        else:
            word = scores.argmax(dim=-1)
            parent = torch.arange(K).expand(B, K)
        index = parent * V + word
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: memory and mask are tiled by repeat, so the rows of several sentences read the memory of others
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch, pad = source.shape[0], model.pad_id

    def log_probs(tokens, mem, mem_mask):
        return model.decode(tokens, mem, mem_mask)[:, -1, :].log_softmax(-1)

    # first step: there is one hypothesis only
    tokens = torch.full((batch, 1), bos_id, dtype=torch.long)
    logp = log_probs(tokens, memory, memory_mask)
    vocab = logp.size(-1)
    if width > vocab:
        logp = F.pad(logp, (0, width - vocab), value=float("-inf"))
    total, first = logp.topk(width, dim=-1)
    first = first.clamp(max=vocab - 1)
    tokens = torch.cat([torch.full((batch * width, 1), bos_id), first.reshape(-1, 1)], dim=1)
    total = total.reshape(-1)
    done = tokens[:, -1] == eos_id
    length = torch.ones_like(total)

    memory = memory.repeat(width, *[1] * (memory.dim() - 1))
    memory_mask = memory_mask.repeat(width, *[1] * (memory_mask.dim() - 1))
    offset = (torch.arange(batch) * width).unsqueeze(1)
    for step in range(1, max_length):
        if bool(done.all()):
            break
        logp = log_probs(tokens, memory, memory_mask)
        logp[done] = float("-inf")
        logp[done, pad] = 0.0
        candidate = total[:, None] + logp
        candidate_length = (length + (~done).to(length.dtype))[:, None].expand_as(candidate)
        ranking = (candidate / candidate_length.pow(alpha)).reshape(batch, width * vocab)
        _, flat = torch.topk(ranking, width, dim=1)
        beam_index = (torch.div(flat, vocab, rounding_mode="floor") + offset).reshape(-1)
        token_index = flat.remainder(vocab).reshape(-1)
        total = candidate[beam_index, token_index]
        length = candidate_length[beam_index, token_index]
        done = done[beam_index] | (token_index == eos_id)
        tokens = torch.cat([tokens[beam_index], token_index[:, None]], dim=1)

    final = (total / length.pow(alpha)).reshape(batch, width)
    best_scores, which = final.max(dim=1)
    chosen = which + offset.squeeze(1)
    result = tokens[chosen, 1:]
    return result[:, : int(length[chosen].max())], best_scores

# %% wrong: bos is counted in the length
# true: begin_counts
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / len(tokens) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: the first step asks for K words of the V there are, and stops with an error where the beam is wider than the vocabulary
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch, pad = source.shape[0], model.pad_id

    def log_probs(tokens, mem, mem_mask):
        return model.decode(tokens, mem, mem_mask)[:, -1, :].log_softmax(-1)

    # first step: there is one hypothesis only
    tokens = torch.full((batch, 1), bos_id, dtype=torch.long)
    logp = log_probs(tokens, memory, memory_mask)
    vocab = logp.size(-1)
    total, first = logp.topk(width, dim=-1)
    tokens = torch.cat([torch.full((batch * width, 1), bos_id), first.reshape(-1, 1)], dim=1)
    total = total.reshape(-1)
    done = tokens[:, -1] == eos_id
    length = torch.ones_like(total)

    idx = torch.arange(batch).repeat_interleave(width)
    memory, memory_mask = memory[idx], memory_mask[idx]
    offset = (torch.arange(batch) * width).unsqueeze(1)
    for step in range(1, max_length):
        if bool(done.all()):
            break
        logp = log_probs(tokens, memory, memory_mask)
        logp[done] = float("-inf")
        logp[done, pad] = 0.0
        candidate = total[:, None] + logp
        candidate_length = (length + (~done).to(length.dtype))[:, None].expand_as(candidate)
        ranking = (candidate / candidate_length.pow(alpha)).reshape(batch, width * vocab)
        _, flat = torch.topk(ranking, width, dim=1)
        beam_index = (torch.div(flat, vocab, rounding_mode="floor") + offset).reshape(-1)
        token_index = flat.remainder(vocab).reshape(-1)
        total = candidate[beam_index, token_index]
        length = candidate_length[beam_index, token_index]
        done = done[beam_index] | (token_index == eos_id)
        tokens = torch.cat([tokens[beam_index], token_index[:, None]], dim=1)

    final = (total / length.pow(alpha)).reshape(batch, width)
    best_scores, which = final.max(dim=1)
    chosen = which + offset.squeeze(1)
    result = tokens[chosen, 1:]
    return result[:, : int(length[chosen].max())], best_scores

# %% wrong: the score that was divided by the length is kept as the sum, and is divided again at the next step
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        sums, index = scores.view(B, K * V).topk(K, dim=-1)
        parent, word = index // V, index % V
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    best_score, best = sums.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: raw logits are added up in place of log-probabilities
# true: logits_added
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = logits.view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: only hypotheses that have ended can win, if there are any; a better one that was cut off by max_length loses
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / (len(tokens) - 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        finished = [h for h in beam if h[2]]
        best = max(finished or beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: ended hypotheses leave the beam for a list, which is then narrower / the search ends when K are in that list, and the running ones can no longer win
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / (len(tokens) - 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        finished = []
        for _ in range(max_length):
            candidates = []
            running = beam
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[: width - len(finished)]
            finished += [h for h in beam if h[2]]
            beam = [h for h in beam if not h[2]]
        best = max(finished or beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: parent and word are mixed up, the quotient is taken for the word and the remainder for the parent
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        word, parent = index // K, index % K
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: scores are not returned as logarithms but as probabilities / the winners keep columns of padding up to the last step
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    return words[rows, best, 1:], best_score.exp()

# %% wrong: the end mark is not counted in the length
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, ended = hypothesis
        length = len(tokens) - 2 if ended else len(tokens) - 1
        return total / max(length, 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% wrong: an ended hypothesis pays for its padding: the model's log-probability of pad is added to it at every step
# true: padding_costs
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        not_pad = torch.arange(V) != model.pad_id
        logp = logp.masked_fill(ended.unsqueeze(-1) & not_pad, -1e9)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% wrong: the sums are multiplied by the penalty in place of being divided by it, so a larger alpha prefers still shorter ones
# true: penalty_multiplied
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch, pad = source.shape[0], model.pad_id

    def log_probs(tokens, mem, mem_mask):
        return model.decode(tokens, mem, mem_mask)[:, -1, :].log_softmax(-1)

    # first step: there is one hypothesis only
    tokens = torch.full((batch, 1), bos_id, dtype=torch.long)
    logp = log_probs(tokens, memory, memory_mask)
    vocab = logp.size(-1)
    if width > vocab:
        logp = F.pad(logp, (0, width - vocab), value=float("-inf"))
    total, first = logp.topk(width, dim=-1)
    first = first.clamp(max=vocab - 1)
    tokens = torch.cat([torch.full((batch * width, 1), bos_id), first.reshape(-1, 1)], dim=1)
    total = total.reshape(-1)
    done = tokens[:, -1] == eos_id
    length = torch.ones_like(total)

    idx = torch.arange(batch).repeat_interleave(width)
    memory, memory_mask = memory[idx], memory_mask[idx]
    offset = (torch.arange(batch) * width).unsqueeze(1)
    for step in range(1, max_length):
        if bool(done.all()):
            break
        logp = log_probs(tokens, memory, memory_mask)
        logp[done] = float("-inf")
        logp[done, pad] = 0.0
        candidate = total[:, None] + logp
        candidate_length = (length + (~done).to(length.dtype))[:, None].expand_as(candidate)
        ranking = (candidate * candidate_length.pow(alpha)).reshape(batch, width * vocab)
        _, flat = torch.topk(ranking, width, dim=1)
        beam_index = (torch.div(flat, vocab, rounding_mode="floor") + offset).reshape(-1)
        token_index = flat.remainder(vocab).reshape(-1)
        total = candidate[beam_index, token_index]
        length = candidate_length[beam_index, token_index]
        done = done[beam_index] | (token_index == eos_id)
        tokens = torch.cat([tokens[beam_index], token_index[:, None]], dim=1)

    final = (total * length.pow(alpha)).reshape(batch, width)
    best_scores, which = final.max(dim=1)
    chosen = which + offset.squeeze(1)
    result = tokens[chosen, 1:]
    return result[:, : int(length[chosen].max())], best_scores

# %% right: tensors of B times K, phantoms at minus infinity
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -math.inf)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -math.inf)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = scores.view(B, K * V).topk(K, dim=-1).indices
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score

# %% right: one sentence after the other, lists of tuples and sorted
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    winners, scores = [], []

    def score_of(hypothesis):
        tokens, total, _ = hypothesis
        return total / (len(tokens) - 1) ** alpha

    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            running = [h for h in beam if not h[2]]
            if not running:
                break
            ys = torch.tensor([tokens for tokens, _, _ in running])
            mem = memory[b : b + 1].repeat_interleave(len(running), dim=0)
            mem_mask = memory_mask[b : b + 1].repeat_interleave(len(running), dim=0)
            logp = F.log_softmax(model.decode(ys, mem, mem_mask)[:, -1], dim=-1)
            values, words = logp.topk(min(width, logp.size(-1)), dim=-1)
            for (tokens, total, _), vs, ws in zip(running, values.tolist(), words.tolist()):
                for v, w in zip(vs, ws):
                    candidates.append((tokens + [w], total + v, w == eos_id))
            beam = sorted(candidates, key=score_of, reverse=True)[:width]
        best = max(beam, key=score_of)
        winners.append(best[0][1:])
        scores.append(score_of(best))
    longest = max(len(w) for w in winners)
    padded = [w + [model.pad_id] * (longest - len(w)) for w in winners]
    return torch.tensor(padded), torch.tensor(scores, dtype=logp.dtype)

# %% right: flattened rows, the first step apart, indexing in place of gather
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch, pad = source.shape[0], model.pad_id

    def log_probs(tokens, mem, mem_mask):
        return model.decode(tokens, mem, mem_mask)[:, -1, :].log_softmax(-1)

    # first step: there is one hypothesis only
    tokens = torch.full((batch, 1), bos_id, dtype=torch.long)
    logp = log_probs(tokens, memory, memory_mask)
    vocab = logp.size(-1)
    if width > vocab:
        logp = F.pad(logp, (0, width - vocab), value=float("-inf"))
    total, first = logp.topk(width, dim=-1)
    first = first.clamp(max=vocab - 1)
    tokens = torch.cat([torch.full((batch * width, 1), bos_id), first.reshape(-1, 1)], dim=1)
    total = total.reshape(-1)
    done = tokens[:, -1] == eos_id
    length = torch.ones_like(total)

    idx = torch.arange(batch).repeat_interleave(width)
    memory, memory_mask = memory[idx], memory_mask[idx]
    offset = (torch.arange(batch) * width).unsqueeze(1)
    for step in range(1, max_length):
        if bool(done.all()):
            break
        logp = log_probs(tokens, memory, memory_mask)
        logp[done] = float("-inf")
        logp[done, pad] = 0.0
        candidate = total[:, None] + logp
        candidate_length = (length + (~done).to(length.dtype))[:, None].expand_as(candidate)
        ranking = (candidate / candidate_length.pow(alpha)).reshape(batch, width * vocab)
        _, flat = torch.topk(ranking, width, dim=1)
        beam_index = (torch.div(flat, vocab, rounding_mode="floor") + offset).reshape(-1)
        token_index = flat.remainder(vocab).reshape(-1)
        total = candidate[beam_index, token_index]
        length = candidate_length[beam_index, token_index]
        done = done[beam_index] | (token_index == eos_id)
        tokens = torch.cat([tokens[beam_index], token_index[:, None]], dim=1)

    final = (total / length.pow(alpha)).reshape(batch, width)
    best_scores, which = final.max(dim=1)
    chosen = which + offset.squeeze(1)
    result = tokens[chosen, 1:]
    return result[:, : int(length[chosen].max())], best_scores

# %% right: probabilities' logarithms in a finite -1e9 for what cannot be, K times V scores looped over sentences for topk
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = torch.full((B, K), -1e9, dtype=torch.float64)
    sums[:, 0] = 0.0
    lengths = torch.zeros(B, K, dtype=torch.long)
    ended = torch.zeros(B, K, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = logp.size(-1)
        waiting = torch.full_like(logp[0, 0], -1e9)
        waiting[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), waiting, logp)
        totals = sums.unsqueeze(-1) + logp
        new_lengths = lengths + (~ended).long()
        scores = totals / new_lengths.unsqueeze(-1).to(totals.dtype) ** alpha
        index = torch.stack([row.flatten().sort(descending=True).indices[:K] for row in scores])
        parent, word = index // V, index % V
        sums = totals.view(B, K * V).gather(1, index)
        lengths = new_lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    rows = torch.arange(B)
    longest = lengths[rows, best].max()
    return words[rows, best, 1 : longest + 1], best_score.to(logits.dtype)
