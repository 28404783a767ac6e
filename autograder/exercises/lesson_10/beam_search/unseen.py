# %% wrong (first): the words are not taken along with their parent, a word is appended to whatever stood in its place
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

# %% wrong (first): whether a hypothesis has ended stays with the place in the beam, it is not taken from the parent
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

# %% wrong (first): every hypothesis is divided by the number of steps so far, an ended one by more than its own length
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

# %% wrong (first): it begins with K copies of the empty hypothesis, and they stay copies
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

# %% wrong (first): the length penalty is used for choosing the winner only, the K are kept by their sums
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

# %% wrong (first): an ended hypothesis goes on with any word, as if it had not ended
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

# %% wrong (first): the search of a sentence stops as soon as its best hypothesis has ended, others could still overtake it
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

# %% wrong (first): it divides by a power of (5 + length)/6, the penalty of Wu et al.
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

# %% wrong (first): of each hypothesis only its best continuation is kept, none may have two children
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

# %% wrong (first): memory and mask are tiled by repeat, so the rows of several sentences read the memory of others
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

# %% wrong (first): bos is counted in the length
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

# %% wrong (first): the first step asks for K words of the V there are, and stops with an error where the beam is wider than the vocabulary
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

# %% wrong (first): the score that was divided by the length is kept as the sum, and is divided again at the next step
# true: divided_again_at_each_step
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

# %% wrong (first): raw logits are added up in place of log-probabilities
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

# %% wrong (first): only hypotheses that have ended can win, if there are any; a better one that was cut off by max_length loses
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

# %% wrong (first): ended hypotheses leave the beam for a list, which is then narrower / the search ends when K are in that list, and the running ones can no longer win
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

# %% wrong (first): parent and word are mixed up, the quotient is taken for the word and the remainder for the parent
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

# %% wrong (first): scores are not returned as logarithms but as probabilities / the winners keep columns of padding up to the last step
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

# %% wrong (first): the end mark is not counted in the length
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

# %% wrong (first): an ended hypothesis pays for its padding: the model's log-probability of pad is added to it at every step
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

# %% wrong (first): the sums are multiplied by the penalty in place of being divided by it, so a larger alpha prefers still shorter ones
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

# %% right (first): tensors of B times K, phantoms at minus infinity
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

# %% right (first): one sentence after the other, lists of tuples and sorted
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

# %% right (first): flattened rows, the first step apart, indexing in place of gather
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

# %% right (first): probabilities' logarithms in a finite -1e9 for what cannot be, K times V scores looped over sentences for topk
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

# %% wrong (second): whether a hypothesis has ended, and its length, stay with the place in the beam instead of going along with the parent
@torch.no_grad()
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    memory, memory_mask = model.encode(source)
    B, K, device = source.size(0), width, source.device
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long, device=device)
    sums = None
    ended = torch.zeros(B, K, dtype=torch.bool, device=device)
    length = torch.zeros(B, K, dtype=torch.long, device=device)
    for t in range(max_length):
        logits = model.decode(words.reshape(B * K, -1), memory, memory_mask)[:, -1]
        logp = logits.log_softmax(-1).reshape(B, K, -1).clone()
        V = logp.size(-1)
        if sums is None:
            sums = torch.full((B, K), float("-inf"), dtype=logp.dtype, device=device)
            sums[:, 0] = 0.0
        stay = torch.full_like(logp, float("-inf"))
        stay[..., model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), stay, logp)
        candidates = sums.unsqueeze(-1) + logp
        length = length + (~ended).long()
        ranked = candidates / length.unsqueeze(-1).to(candidates.dtype) ** alpha
        _, index = ranked.reshape(B, K * V).topk(K, dim=-1)
        parent, token = index // V, index % V
        sums = candidates.reshape(B, K * V).gather(1, index)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, token.unsqueeze(-1)], dim=-1)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    scores = sums / length.to(sums.dtype) ** alpha
    best_score, best = scores.max(dim=1)
    written = words[torch.arange(B, device=device), best, 1:]
    used = length[torch.arange(B, device=device), best].max()
    return written[:, :used], best_score


# %% wrong (second): a sentence's search stops as soon as its best hypothesis has ended, while others that run on could still overtake it
@torch.no_grad()
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    memory, memory_mask = model.encode(source)
    winners, winner_scores = [], []
    for b in range(source.size(0)):
        beam = [([bos_id], 0.0, False)]
        for _ in range(max_length):
            pool = []
            for tokens, total, done in beam:
                if done:
                    pool.append((tokens, total, True))
                    continue
                ids = torch.tensor([tokens], device=source.device)
                logp = model.decode(ids, memory[b : b + 1], memory_mask[b : b + 1])[0, -1].log_softmax(-1)
                for v, value in enumerate(logp.tolist()):
                    pool.append((tokens + [v], total + value, v == eos_id))
            pool.sort(key=lambda h: h[1] / (len(h[0]) - 1) ** alpha, reverse=True)
            beam = pool[:width]
            if beam[0][2]:
                break
        tokens, total, _ = beam[0]
        winners.append(tokens[1:])
        winner_scores.append(total / (len(tokens) - 1) ** alpha)
    longest = max(len(w) for w in winners)
    written = torch.full((len(winners), longest), model.pad_id, dtype=torch.long, device=source.device)
    for row, tokens in zip(written, winners):
        row[: len(tokens)] = torch.tensor(tokens)
    return written, torch.tensor(winner_scores, dtype=logp.dtype)


# %% wrong (second): the first step asks topk for width words of V, and so it crashes when the beam is wider than the vocabulary
@torch.no_grad()
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    B, K = source.size(0), width
    memory, memory_mask = model.encode(source)
    start = torch.full((B, 1), bos_id, dtype=torch.long, device=source.device)
    logp = torch.log_softmax(model.decode(start, memory, memory_mask)[:, -1], dim=-1)
    V = logp.size(-1)
    sums, first = logp.topk(K, dim=-1)
    words = first.unsqueeze(-1)
    ended = first == eos_id
    lengths = torch.ones_like(first)
    rows = torch.arange(B, device=source.device).repeat_interleave(K)
    memory, memory_mask = memory[rows], memory_mask[rows]
    starts = start.unsqueeze(1).expand(B, K, 1)
    for _ in range(max_length - 1):
        if ended.all():
            break
        so_far = torch.cat([starts, words], dim=-1).view(B * K, -1)
        logp = torch.log_softmax(model.decode(so_far, memory, memory_mask)[:, -1], dim=-1).view(B, K, V)
        only_pad = torch.full((V,), float("-inf"), dtype=logp.dtype, device=logp.device)
        only_pad[model.pad_id] = 0.0
        logp = torch.where(ended[:, :, None], only_pad, logp)
        total = sums[:, :, None] + logp
        new_lengths = lengths + (~ended).long()
        penalised = total / (new_lengths[:, :, None].to(total.dtype) ** alpha)
        choice = penalised.view(B, K * V).topk(K, dim=-1).indices
        parent = torch.div(choice, V, rounding_mode="floor")
        token = choice.remainder(V)
        sums = total.view(B, K * V).gather(1, choice)
        was_ended = ended.gather(1, parent)
        lengths = new_lengths.gather(1, parent)
        words = torch.cat([words.gather(1, parent[:, :, None].expand(-1, -1, words.size(2))), token[:, :, None]], 2)
        ended = was_ended | (token == eos_id)
    final = sums / lengths.to(sums.dtype) ** alpha
    scores, best = final.max(dim=1)
    pick = torch.arange(B, device=source.device)
    longest = int(lengths[pick, best].max())
    return words[pick, best, :longest], scores


# %% right (second): a plain list of hypotheses for each sentence, running ones decoded together, sorted in Python
from dataclasses import dataclass


@dataclass
class Hypothesis:
    tokens: list
    total: float
    ended: bool

    def score(self, alpha):
        return self.total / (len(self.tokens) - 1) ** alpha


@torch.no_grad()
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    memory, memory_mask = model.encode(source)
    beams = [[Hypothesis([bos_id], 0.0, False)] for _ in range(len(source))]
    dtype = None
    for _ in range(max_length):
        running = [(b, h) for b, beam in enumerate(beams) for h in beam if not h.ended]
        if not running:
            break
        rows = torch.tensor([b for b, _ in running], device=source.device)
        ids = torch.tensor([h.tokens for _, h in running], device=source.device)
        logits = model.decode(ids, memory[rows], memory_mask[rows])[:, -1]
        dtype = logits.dtype
        log_p = logits.log_softmax(dim=-1)
        grown = [[h for h in beam if h.ended] for beam in beams]
        best = log_p.topk(min(width, log_p.size(-1)), dim=-1)
        for (b, h), values, words in zip(running, best.values.tolist(), best.indices.tolist()):
            for value, word in zip(values, words):
                grown[b].append(Hypothesis(h.tokens + [word], h.total + value, word == eos_id))
        beams = [sorted(pool, key=lambda h: h.score(alpha), reverse=True)[:width] for pool in grown]
    winners = [max(beam, key=lambda h: h.score(alpha)) for beam in beams]
    longest = max(len(h.tokens) for h in winners) - 1
    rows = [h.tokens[1:] + [model.pad_id] * (longest + 1 - len(h.tokens)) for h in winners]
    scores = torch.tensor([h.score(alpha) for h in winners], dtype=dtype, device=source.device)
    return torch.tensor(rows, dtype=torch.long, device=source.device), scores

# %% wrong (third): what has ended leaves the beam for a list of its own, and a running hypothesis takes its place / one that still runs can win only where nothing has ended
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    results = []
    memories, masks = model.encode(source)
    for b in range(source.size(0)):
        memory, mask = memories[b : b + 1], masks[b : b + 1]
        beams = [([], 0.0)]
        finished = []
        for _ in range(max_length):
            candidates = []
            for words, total in beams:
                logits = model.decode(torch.tensor([[bos_id] + words]), memory, mask)[0, -1]
                logp = torch.log_softmax(logits, dim=-1)
                best = logp.topk(min(2 * width, logp.numel()))
                for lp, w in zip(best.values.tolist(), best.indices.tolist()):
                    candidates.append((words + [w], total + lp))
            candidates.sort(key=lambda c: c[1] / len(c[0]) ** alpha, reverse=True)
            beams = []
            for words, total in candidates:
                if words[-1] == eos_id:
                    finished.append((words, total))
                else:
                    beams.append((words, total))
                if len(beams) == width:
                    break
            if len(finished) >= width or not beams:
                break
        pool = finished if finished else beams
        words, total = max(pool, key=lambda c: c[1] / len(c[0]) ** alpha)
        results.append((words, total / len(words) ** alpha))
    longest = max(len(words) for words, _ in results)
    written = torch.tensor([words + [model.pad_id] * (longest - len(words)) for words, _ in results])
    return written, torch.tensor([score for _, score in results], dtype=memories.dtype)


# %% wrong (third): repeats the memory batch after batch, while the hypotheses stand sentence by sentence: they read one another's source
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    B, K, pad = source.size(0), width, model.pad_id
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        memory = memory.repeat(K, 1, 1)  # (B*K, S, D)
        memory_mask = memory_mask.repeat(K, 1, 1, 1)
        words = torch.full((B, K, 1), bos_id)
        total = torch.full((B, K), float("-inf"))
        total[:, 0] = 0.0
        length = torch.zeros(B, K, dtype=torch.long)
        ended = torch.zeros(B, K, dtype=torch.bool)
        for _ in range(max_length):
            logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
            logp = F.log_softmax(logits, dim=-1).view(B, K, -1)
            V = logp.size(-1)
            only_pad = torch.full_like(logp, float("-inf"))
            only_pad[..., pad] = 0.0
            logp = torch.where(ended.unsqueeze(-1), only_pad, logp)
            sums = total.unsqueeze(-1) + logp
            lengths = (length + (~ended).long()).unsqueeze(-1).expand(B, K, V)
            scores = sums / lengths**alpha
            _, index = scores.view(B, K * V).topk(K, dim=-1)
            parent, word = index // V, index % V
            total = sums.view(B, K * V).gather(1, index)
            length = lengths.reshape(B, K * V).gather(1, index)
            ended = ended.gather(1, parent) | (word == eos_id)
            words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
            words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
            if ended.all():
                break
        final = total / length**alpha
        score, best = final.max(dim=1)
        winner = words[torch.arange(B), best, 1:]
        keep = (winner != pad).any(dim=0).nonzero().max() + 1
    return winner[:, :keep], score


# %% wrong (third): the penalty divides by the number of the step, for hypotheses too that ended long before: their score rises while they wait
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    batch = source.shape[0]
    memory = memory.repeat_interleave(width, dim=0)
    memory_mask = memory_mask.repeat_interleave(width, dim=0)
    beams = torch.full((batch, width, 1), bos_id, dtype=torch.long)
    log_p = torch.full((batch, width), -math.inf, dtype=memory.dtype if memory.is_floating_point() else None)
    log_p[:, 0] = 0
    done = torch.zeros(batch, width, dtype=torch.bool)
    for step in range(1, max_length + 1):
        logits = model.decode(beams.flatten(0, 1), memory, memory_mask)[:, -1, :]
        vocab = logits.size(-1)
        new = logits.log_softmax(-1).view(batch, width, vocab)
        new = new.masked_fill(done[..., None], -math.inf)
        new[..., model.pad_id] = new[..., model.pad_id].masked_fill(done, 0.0)
        candidates = (log_p[..., None] + new).flatten(1)  # (B, K * V)
        score, flat = (candidates / step**alpha).topk(width, dim=1)
        origin = torch.div(flat, vocab, rounding_mode="floor")
        token = flat.remainder(vocab)
        log_p = candidates.gather(1, flat)
        done = done.gather(1, origin) | token.eq(eos_id)
        beams = torch.take_along_dim(beams, origin[..., None], dim=1)
        beams = torch.cat((beams, token[..., None]), dim=-1)
        if done.all():
            break
    written = beams[:, 0, 1:]  # topk sorts: the first is the best
    last = int((written != model.pad_id).sum(dim=1).max())
    return written[:, :last], score[:, 0]


# %% right (third): hypotheses as small named tuples in lists, all that run decoded in one call a step, heapq keeps the best
import heapq
from typing import NamedTuple


class Begun(NamedTuple):
    words: tuple
    total: float
    ended: bool


def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    def score(one: Begun) -> float:
        return one.total / len(one.words) ** alpha

    dtype = None
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        beams = [[Begun((), 0.0, False)] for _ in range(len(source))]
        for _ in range(max_length):
            running = [(b, one) for b, beam in enumerate(beams) for one in beam if not one.ended]
            if not running:
                break
            rows = torch.tensor([b for b, _ in running], device=source.device)  # (R,)
            target = torch.tensor([(bos_id, *one.words) for _, one in running], device=source.device)  # (R, t)
            logs = model.decode(target, memory[rows], memory_mask[rows])[:, -1].log_softmax(dim=-1)  # (R, V)
            dtype = logs.dtype
            # no more than the K best children of one hypothesis can be among the K best of all
            likely = logs.topk(min(width, logs.size(-1)), dim=-1)
            candidates = [[one for one in beam if one.ended] for beam in beams]
            for (b, one), values, words in zip(running, likely.values.tolist(), likely.indices.tolist()):
                candidates[b] += [
                    Begun((*one.words, word), one.total + value, word == eos_id) for value, word in zip(values, words)
                ]
            beams = [heapq.nlargest(width, of_one, key=score) for of_one in candidates]
    winners = [max(beam, key=score) for beam in beams]
    T = max(len(one.words) for one in winners)
    written = torch.full((len(winners), T), model.pad_id, dtype=torch.long, device=source.device)
    for row, one in zip(written, winners):
        row[: len(one.words)] = torch.tensor(one.words, device=source.device)
    return written, torch.tensor([score(one) for one in winners], dtype=dtype, device=source.device)

# %% wrong (last): Hugging Face's pool, an ended hypothesis leaves the beam for a list of its own and K go on running, so more than K are kept ("It stays, keeps its score and its place among the K")
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    best = []
    for b in range(source.size(0)):
        beams = [([], 0.0)]  # tokens, sum of log-probabilities
        pool = []  # finished
        for _ in range(max_length):
            ids = torch.tensor([[bos_id] + tokens for tokens, _ in beams])
            n = len(beams)
            logits = model.decode(ids, memory[b : b + 1].expand(n, -1, -1), memory_mask[b : b + 1].expand(n, -1, -1, -1))
            logp = logits[:, -1].log_softmax(dim=-1)
            top = logp.topk(min(2 * width, logp.size(-1)), dim=-1)
            candidates = []
            for (tokens, total), values, words in zip(beams, top.values.tolist(), top.indices.tolist()):
                candidates += [(tokens + [word], total + value) for value, word in zip(values, words)]
            candidates.sort(key=lambda c: c[1], reverse=True)
            beams = []
            for rank, (tokens, total) in enumerate(candidates):
                if tokens[-1] == eos_id:
                    if rank < width:
                        pool.append((tokens, total))
                else:
                    beams.append((tokens, total))
                if len(beams) == width:
                    break
            if len(pool) >= width or not beams:
                break
        if len(pool) < width:
            pool += beams
        best.append(max(((tokens, total / len(tokens) ** alpha) for tokens, total in pool), key=lambda h: h[1]))
    longest = max(len(tokens) for tokens, _ in best)
    written = torch.full((len(best), longest), model.pad_id, dtype=torch.long)
    for row, (tokens, _) in zip(written, best):
        row[: len(tokens)] = torch.tensor(tokens)
    return written, torch.tensor([score for _, score in best], dtype=logits.dtype)


# %% wrong (last): words and sums are taken from the parent, but who has ended and how long it is stay in their old places ("its length, and whether it has ended come from there too")
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K = source.size(0), width
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long)
    sums = None
    ended = torch.zeros(B, K, dtype=torch.bool)
    lengths = torch.zeros(B, K, dtype=torch.long)
    for step in range(max_length):
        logits = model.decode(words.view(B * K, -1), memory, memory_mask)[:, -1]
        log_p = torch.log_softmax(logits, dim=-1).view(B, K, -1)
        V = log_p.size(-1)
        if sums is None:
            sums = log_p.new_full((B, K), -math.inf)
            sums[:, 0] = 0.0
        only_pad = torch.full_like(log_p, -math.inf)
        only_pad[:, :, model.pad_id] = 0.0
        log_p = torch.where(ended.unsqueeze(-1), only_pad, log_p)
        candidates = sums.unsqueeze(-1) + log_p  # (B, K, V)
        grown = lengths + (~ended).long()
        penalised = candidates / grown.unsqueeze(-1).to(candidates.dtype) ** alpha
        _, index = penalised.view(B, K * V).topk(K, dim=-1)
        parent, token = index // V, index % V
        sums = candidates.view(B, K * V).gather(1, index)
        words = torch.cat([words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1))), token.unsqueeze(-1)], dim=-1)
        lengths = grown
        ended = ended | (token == eos_id)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    best, place = scores.max(dim=1)
    written = words[torch.arange(B), place, 1:]
    longest = int(lengths[torch.arange(B), place].max())
    return written[:, :longest], best


# %% right (last): one sentence after the other, hypotheses as tuples in a list, heapq for the K best
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    import heapq
    from collections import namedtuple

    Hypothesis = namedtuple("Hypothesis", "words total ended")

    def score(hypothesis) -> float:
        return hypothesis.total / len(hypothesis.words) ** alpha

    def grown(running: list, memory: Tensor, memory_mask: Tensor) -> list:
        """The children of the running ones; no parent can have more than ``width`` among the best of all."""
        so_far = torch.tensor([(bos_id, *hypothesis.words) for hypothesis in running], device=source.device)
        count = len(running)
        logits = model.decode(
            so_far, memory.repeat_interleave(count, dim=0), memory_mask.repeat_interleave(count, dim=0)
        )[:, -1]
        logs = logits.log_softmax(dim=-1)
        dtypes.add(logs.dtype)
        values, words = logs.topk(min(width, logs.size(-1)), dim=-1)
        return [
            Hypothesis((*parent.words, word), parent.total + value, word == eos_id)
            for parent, row, numbers in zip(running, values.tolist(), words.tolist())
            for value, word in zip(row, numbers)
        ]

    winners, dtypes = [], set()
    with torch.no_grad():
        memories, masks = model.encode(source)
        for sentence in range(len(source)):
            memory, memory_mask = memories[sentence : sentence + 1], masks[sentence : sentence + 1]
            kept = [Hypothesis((), 0.0, False)]
            for _ in range(max_length):
                running = [hypothesis for hypothesis in kept if not hypothesis.ended]
                if not running:
                    break
                ended = [hypothesis for hypothesis in kept if hypothesis.ended]
                kept = heapq.nlargest(width, ended + grown(running, memory, memory_mask), key=score)
            winners.append(max(kept, key=score))
    longest = max(len(winner.words) for winner in winners)
    written = [list(winner.words) + [model.pad_id] * (longest - len(winner.words)) for winner in winners]
    return (
        torch.tensor(written, device=source.device),
        torch.tensor([score(winner) for winner in winners], dtype=dtypes.pop(), device=source.device),
    )


# %% wrong (fifth): memory and mask are repeated 1 2 1 2 while the hypotheses are in the order 1 1 2 2
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, mask = model.encode(source)
    B, K = source.size(0), width
    memory = torch.cat([memory] * K)
    mask = torch.cat([mask] * K)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long, device=source.device)
    sums = None
    lengths = torch.zeros(B, K, dtype=torch.long, device=source.device)
    ended = torch.zeros(B, K, dtype=torch.bool, device=source.device)
    for _ in range(max_length):
        logits = model.decode(words.reshape(B * K, -1), memory, mask)[:, -1]
        logp = logits.log_softmax(dim=-1).reshape(B, K, -1)
        V = logp.size(-1)
        if sums is None:
            sums = logp.new_full((B, K), -math.inf)
            sums[:, 0] = 0.0
        only_pad = torch.full((V,), -math.inf, dtype=logp.dtype, device=logp.device)
        only_pad[model.pad_id] = 0.0
        logp = torch.where(ended.unsqueeze(-1), only_pad, logp)
        total = sums.unsqueeze(-1) + logp  # (B, K, V)
        length = (lengths + (~ended).long()).unsqueeze(-1)  # (B, K, 1)
        score = total / length.to(total.dtype) ** alpha
        best = score.reshape(B, K * V).topk(K, dim=1).indices
        parent, word = best // V, best % V
        sums = total.reshape(B, K * V).gather(1, best)
        lengths = length.squeeze(-1).gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        words = words.gather(1, parent.unsqueeze(-1).expand(-1, -1, words.size(-1)))
        words = torch.cat([words, word.unsqueeze(-1)], dim=-1)
        if ended.all():
            break
    scores = sums / lengths.to(sums.dtype) ** alpha
    winner = scores.argmax(dim=1)
    rows = torch.arange(B, device=source.device)
    written = words[rows, winner, 1:]
    return written[:, : int(lengths[rows, winner].max())], scores[rows, winner]


# %% wrong (fifth): the lengths stay in their slots instead of coming from the parents (harmless with α = 0)
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    batch, device, pad = source.size(0), source.device, model.pad_id
    memory, memory_mask = (x.repeat_interleave(width, dim=0) for x in model.encode(source))
    words = torch.full((batch, width, 1), bos_id, device=device)
    sums = torch.zeros(batch, width, device=device, dtype=torch.float64)
    sums[:, 1:] = -math.inf
    lengths = torch.zeros(batch, width, device=device, dtype=torch.float64)
    ended = torch.zeros(batch, width, device=device, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(words.flatten(0, 1), memory, memory_mask)[:, -1]
        dtype = logits.dtype
        logs = logits.log_softmax(-1).double().unflatten(0, (batch, width))
        vocabulary = logs.size(-1)
        logs[ended] = -math.inf
        logs[..., pad] = logs[..., pad].masked_fill(ended, 0.0)
        lengths = lengths + (~ended)
        candidates = sums[..., None] + logs
        scores = (candidates / lengths[..., None] ** alpha).flatten(1)
        _, chosen = scores.topk(width, dim=1)
        parents = torch.div(chosen, vocabulary, rounding_mode="floor")
        new = chosen.remainder(vocabulary)
        sums = candidates.flatten(1).gather(1, chosen)
        ended = ended.gather(1, parents) | new.eq(eos_id)
        words = torch.cat([words[torch.arange(batch, device=device)[:, None], parents], new[..., None]], dim=2)
        if bool(ended.all()):
            break
    final = sums / lengths**alpha
    score, index = final.max(dim=1)
    best = words[torch.arange(batch, device=device), index, 1:]
    stop = [row.index(eos_id) + 1 if eos_id in row else len(row) for row in best.tolist()]
    return best[:, : max(stop)], score.to(dtype)


# %% wrong (fifth): after max_length tokens, an ended hypothesis wins over a better one that has not ended
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, mask = model.encode(source)
    B, K = len(source), width
    memory, mask = memory.repeat_interleave(K, 0), mask.repeat_interleave(K, 0)
    seqs = torch.full((B, K, 1), bos_id, dtype=torch.long, device=source.device)
    done = torch.zeros((B, K), dtype=torch.bool, device=source.device)
    length = torch.zeros((B, K), dtype=torch.long, device=source.device)
    logprob = torch.zeros((B, K), device=source.device)
    logprob[:, 1:] = float("-inf")
    for _ in range(max_length):
        lp = model.decode(seqs.view(B * K, -1), memory, mask)[:, -1].log_softmax(-1).view(B, K, -1)
        V = lp.shape[-1]
        lp = lp.masked_fill(done.unsqueeze(-1), float("-inf"))
        lp[:, :, model.pad_id] = torch.where(done, torch.zeros_like(lp[:, :, 0]), lp[:, :, model.pad_id])
        cand = logprob.unsqueeze(-1) + lp
        new_length = length + (~done)
        score = cand / new_length.unsqueeze(-1).to(cand.dtype) ** alpha
        top = score.view(B, -1).topk(K, dim=-1).indices
        src, tok = top // V, top % V
        logprob = cand.view(B, -1).gather(1, top)
        length = new_length.gather(1, src)
        done = done.gather(1, src) | (tok == eos_id)
        seqs = seqs.gather(1, src.unsqueeze(-1).expand(B, K, seqs.size(2)))
        seqs = torch.cat((seqs, tok.unsqueeze(-1)), dim=2)
        if done.all():
            break
    final = logprob / length.to(logprob.dtype) ** alpha
    # finished translations first; an unfinished one only if there is nothing else
    finished = final.masked_fill(~done, float("-inf"))
    ranking = torch.where((done & final.isfinite()).any(dim=1, keepdim=True), finished, final)
    winner = ranking.argmax(dim=1, keepdim=True)
    scores = final.gather(1, winner).squeeze(1)
    lengths = length.gather(1, winner)
    written = seqs[torch.arange(B, device=source.device), winner.squeeze(1), 1:]
    return written[:, : lengths.max()], scores


# %% wrong (fifth): T is the length of the longest hypothesis in the beams, not of the longest winner
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    memory, memory_mask = model.encode(source)
    B, K, dev = source.size(0), width, source.device
    memory = memory.repeat_interleave(K, dim=0)
    memory_mask = memory_mask.repeat_interleave(K, dim=0)
    words = torch.full((B, K, 1), bos_id, dtype=torch.long, device=dev)
    lengths = torch.zeros(B, K, dtype=torch.long, device=dev)
    ended = torch.zeros(B, K, dtype=torch.bool, device=dev)
    sums = torch.full((B, K), -math.inf, device=dev)
    sums[:, 0] = 0
    step = 0
    while step < max_length and not ended.all():
        step += 1
        logits = model.decode(words.reshape(B * K, step), memory, memory_mask)[:, -1]
        logp = torch.log_softmax(logits, dim=-1).reshape(B, K, -1)
        V = logp.size(2)
        frozen = torch.full_like(logp, -math.inf)
        frozen[:, :, model.pad_id] = 0
        logp = torch.where(ended[:, :, None], frozen, logp)
        totals = sums[:, :, None] + logp
        lengths = lengths + (~ended).long()
        scores = totals / lengths[:, :, None].to(totals.dtype) ** alpha
        _, flat = scores.reshape(B, -1).topk(K)
        parents, tokens = flat // V, flat % V
        sums = totals.reshape(B, -1).gather(1, flat)
        lengths = lengths.gather(1, parents)
        ended = ended.gather(1, parents) | (tokens == eos_id)
        rows = torch.arange(B, device=dev)[:, None]
        words = torch.cat([words[rows, parents], tokens[:, :, None]], dim=2)
    scores = sums / lengths.to(sums.dtype) ** alpha
    best, which = scores.max(dim=1)
    return words[torch.arange(B, device=dev), which, 1:], best


# %% right (fifth): one sentence after the other, with Python lists of hypotheses
@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    def score(hypothesis):
        total, tokens, _ = hypothesis
        return total / len(tokens) ** alpha

    memory, memory_mask = model.encode(source)  # once, for the whole batch
    winners, dtype = [], None
    for b in range(source.size(0)):
        beam = [(0.0, [], False)]  # (sum, tokens, has ended)
        for _ in range(max_length):
            candidates = [h for h in beam if h[2]]
            alive = [h for h in beam if not h[2]]
            if not alive:
                break
            target = torch.tensor([[bos_id] + tokens for _, tokens, _ in alive], device=source.device)  # (R, t)
            logits = model.decode(
                target,
                memory[b : b + 1].repeat_interleave(len(alive), dim=0),
                memory_mask[b : b + 1].repeat_interleave(len(alive), dim=0),
            )[:, -1]  # (R, V)
            dtype = logits.dtype
            # the best K of all are among the best K of each
            logs, ids = logits.log_softmax(dim=-1).topk(min(width, logits.size(-1)), dim=-1)
            for (total, tokens, _), row, words in zip(alive, logs.tolist(), ids.tolist()):
                for log, word in zip(row, words):
                    candidates.append((total + log, tokens + [word], word == eos_id))
            beam = sorted(candidates, key=score, reverse=True)[:width]
        winners.append(max(beam, key=score))
    longest = max(len(tokens) for _, tokens, _ in winners)
    written = torch.full((len(winners), longest), model.pad_id, dtype=torch.long, device=source.device)
    for row, (_, tokens, _) in zip(written, winners):
        row[: len(tokens)] = torch.tensor(tokens, device=source.device)
    return written, torch.tensor([score(h) for h in winners], dtype=dtype, device=source.device)
