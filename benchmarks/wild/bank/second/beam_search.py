# %% wrong: whether a hypothesis has ended, and its length, stay with the place in the beam instead of going along with the parent
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


# %% wrong: a sentence's search stops as soon as its best hypothesis has ended, while others that run on could still overtake it
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


# %% wrong: the first step asks topk for width words of V, and so it crashes when the beam is wider than the vocabulary
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


# %% right: a plain list of hypotheses for each sentence, running ones decoded together, sorted in Python
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
