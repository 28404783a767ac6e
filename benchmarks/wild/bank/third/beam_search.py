# %% wrong: what has ended leaves the beam for a list of its own, and a running hypothesis takes its place / one that still runs can win only where nothing has ended
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


# %% wrong: repeats the memory batch after batch, while the hypotheses stand sentence by sentence: they read one another's source
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


# %% wrong: the penalty divides by the number of the step, for hypotheses too that ended long before: their score rises while they wait
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


# %% right: hypotheses as small named tuples in lists, all that run decoded in one call a step, heapq keeps the best
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
