# %% wrong: Hugging Face's pool, an ended hypothesis leaves the beam for a list of its own and K go on running, so more than K are kept ("It stays, keeps its score and its place among the K")
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


# %% wrong: words and sums are taken from the parent, but who has ended and how long it is stay in their old places ("its length, and whether it has ended come from there too")
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


# %% right: one sentence after the other, hypotheses as tuples in a list, heapq for the K best
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
