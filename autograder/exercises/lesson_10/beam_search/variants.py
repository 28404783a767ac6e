def beam_in_lists(
    logs=lambda x: x.log_softmax(-1),
    score=lambda total, length, alpha: total / length**alpha,
    last=None,
    keep=lambda width: width,
    fill="pad",
    from_=1,
    more=0,
):
    """Beam search in Python lists, sentence by sentence, one thing changed."""

    def search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
        ids = {"pad": model.pad_id, "eos": eos_id, "zero": 0}
        winners = []
        for sentence in source:
            memory, mask = model.encode(sentence[None])
            beam = [(0.0, [bos_id], 0.0)]
            for _ in range(max_length + more):
                grown = [h for h in beam if h[1][-1] == eos_id]
                for _, tokens, total in (h for h in beam if h[1][-1] != eos_id):
                    steps = logs(model.decode(torch.tensor([tokens]), memory, mask)[0, -1]).tolist()
                    for token, step in enumerate(steps):
                        grown.append((score(total + step, len(tokens), alpha), [*tokens, token], total + step))
                beam = sorted(grown, key=lambda h: -h[0])[: keep(width)]
            if last:
                beam = [(last(total, len(tokens) - 1, alpha), tokens, total) for _, tokens, total in beam]
            winners.append(max(beam, key=lambda h: h[0]))
        longest = max(len(tokens) for _, tokens, _ in winners)
        rows = [tokens[from_:] + [ids[fill]] * (longest - len(tokens)) for _, tokens, _ in winners]
        return torch.tensor(rows), torch.tensor([s for s, _, _ in winners])

    return search


# %% right: lists a sentence at a time
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    best = []
    for sentence in source:
        memory, mask = model.encode(sentence[None])
        beam = [([bos_id], 0.0, 0.0, False)]  # tokens, log-probability, score, ended
        for _ in range(max_length):
            if all(ended for *_, ended in beam):
                break
            candidates = []
            for tokens, total, score, ended in beam:
                if ended:
                    candidates.append((tokens, total, score, True))
                    continue
                steps = model.decode(torch.tensor([tokens]), memory, mask)[0, -1].log_softmax(-1).tolist()
                for token, step in enumerate(steps):
                    mean = (total + step) / len(tokens) ** alpha
                    candidates.append(([*tokens, token], total + step, mean, token == eos_id))
            beam = sorted(candidates, key=lambda c: c[2], reverse=True)[:width]
        best.append(beam[0])
    longest = max(len(tokens) for tokens, *_ in best) - 1
    rows = [tokens[1:] + [model.pad_id] * (longest + 1 - len(tokens)) for tokens, *_ in best]
    return torch.tensor(rows), torch.tensor([score for _, _, score, _ in best])


# %% right: copies of which one counts
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    batch = source.size(0)
    memory, mask = model.encode(source.repeat_interleave(width, 0))
    ids = torch.full((batch * width, 1), bos_id)
    total = torch.full((batch, width), -torch.inf)
    total[:, 0] = 0.0
    length = torch.zeros(batch, width)
    ended = torch.zeros(batch, width, dtype=torch.bool)
    score = total
    offset = (torch.arange(batch) * width)[:, None]
    for _ in range(max_length):
        log_p = F.log_softmax(model.decode(ids, memory, mask)[:, -1], dim=-1)
        vocab = log_p.size(-1)
        log_p = log_p.view(batch, width, vocab).masked_fill(ended[..., None], -torch.inf)
        log_p[..., model.pad_id] = torch.where(ended, 0.0, log_p[..., model.pad_id])
        length = torch.where(ended, length, length + 1)
        candidates = total[..., None] + log_p
        score, index = (candidates / length[..., None].pow(alpha)).view(batch, -1).topk(width)
        beam, token = index // vocab, index % vocab
        total = candidates.view(batch, -1).gather(1, index)
        rows = (beam + offset).view(-1)
        ids = torch.cat([ids[rows], token.view(-1, 1)], dim=1)
        length = length.view(-1)[rows].view(batch, width)
        ended = ended.view(-1)[rows].view(batch, width) | token.eq(eos_id)
        if ended.all():
            break
    first = ids.view(batch, width, -1)[:, 0, 1:]
    return first[:, : int(length[:, 0].max())], score[:, 0]


# %% right: ended ones kept apart
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    results = []
    for i in range(len(source)):
        memory, mask = model.encode(source[i : i + 1])
        running, done = [((bos_id,), 0.0)], []
        for step in range(1, max_length + 1):
            if not running:
                break
            target = torch.tensor([list(tokens) for tokens, _ in running])
            log_p = model.decode(target, memory.expand(len(running), -1, -1), mask.expand(len(running), -1, -1, -1))
            log_p = log_p[:, -1].log_softmax(-1)
            grown = [
                ((*tokens, v), total + log_p[k, v].item(), (total + log_p[k, v].item()) / step**alpha)
                for k, (tokens, total) in enumerate(running)
                for v in range(log_p.size(1))
            ]
            grown = [(score, tokens, total, tokens[-1] != eos_id) for tokens, total, score in grown]
            kept = sorted([*grown, *((score, tokens, 0.0, False) for score, tokens in done)], key=lambda c: -c[0])
            kept = kept[:width]
            running = [(tokens, total) for _, tokens, total, runs in kept if runs]
            done = [(score, tokens) for score, tokens, _, runs in kept if not runs]
        ends = [*done, *((total / (len(tokens) - 1) ** alpha, tokens) for tokens, total in running)]
        results.append(max(ends))
    longest = max(len(tokens) for _, tokens in results)
    written = torch.full((len(source), longest - 1), model.pad_id)
    for i, (_, tokens) in enumerate(results):
        written[i, : len(tokens) - 1] = torch.tensor(tokens[1:])
    return written, torch.tensor([score for score, _ in results])


# %% right: best few of each then of all
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    memory, mask = model.encode(source)
    written = torch.full((len(source), 1, 1), bos_id)
    total, length, ended = torch.zeros(len(source), 1), torch.zeros(len(source), 1), torch.zeros(len(source), 1).bool()
    for _ in range(max_length):
        k = total.size(1)
        flat = written.reshape(-1, written.size(-1))
        log_p = model.decode(flat, memory.repeat_interleave(k, 0), mask.repeat_interleave(k, 0))[:, -1]
        log_p = log_p.log_softmax(-1).reshape(len(source), k, -1)
        log_p[..., [model.pad_id, bos_id]] = -torch.inf  # a model that was trained says neither
        few = min(width, log_p.size(-1))
        step, token = log_p.topk(few, dim=-1)  # no hypothesis has more than `width` children in the beam
        step = torch.where(ended[..., None], torch.tensor([0.0] + [-torch.inf] * (few - 1)), step)
        token = torch.where(ended[..., None], model.pad_id, token)
        length = (length + 1 - ended.float())[..., None].expand(-1, -1, few).flatten(1)
        sums = (total[..., None] + step).flatten(1)
        score, chosen = (sums / length**alpha).sort(dim=1, descending=True)
        score, chosen = score[:, :width], chosen[:, :width]
        parent = chosen.div(few, rounding_mode="floor")
        rows = torch.arange(len(source))[:, None]
        token = token.flatten(1).gather(1, chosen)
        written = torch.cat([written[rows, parent], token[..., None]], dim=-1)
        total, length = sums.gather(1, chosen), length.gather(1, chosen)
        ended = ended[rows, parent] | (token == eos_id)
        if ended.all():
            break
    return written[:, 0, 1:][:, : int(length[:, 0].max())], score[:, 0]


# %% wrong: put aside
# defines: ended_ones_give_up_their_place
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    winners = []
    for i in range(len(source)):
        memory, mask = model.encode(source[i : i + 1])
        beam, done = [([bos_id], 0.0)], []
        for _ in range(max_length):
            candidates = []
            for tokens, total in beam:
                log_p = model.decode(torch.tensor([tokens]), memory, mask)[0, -1].log_softmax(-1).tolist()
                candidates += [([*tokens, v], total + p) for v, p in enumerate(log_p)]
            candidates.sort(key=lambda c: c[1], reverse=True)
            done += [c for c in candidates[:width] if c[0][-1] == eos_id]
            beam = [c for c in candidates if c[0][-1] != eos_id][:width]
        ranked = [(total / (len(tokens) - 1) ** alpha, tokens[1:]) for tokens, total in [*done, *beam]]
        winners.append(max(ranked))
    longest = max(len(tokens) for _, tokens in winners)
    rows = [tokens + [model.pad_id] * (longest - len(tokens)) for _, tokens in winners]
    return torch.tensor(rows), torch.tensor([score for score, _ in winners])


# %% wrong: probabilities added
# true: probabilities_added
beam_search = beam_in_lists(logs=lambda x: x.softmax(-1))


# %% wrong: penalty ignored
# true: penalty_ignored
beam_search = beam_in_lists(score=lambda total, length, alpha: total)


# %% wrong: always the mean
# true: always_the_mean
beam_search = beam_in_lists(score=lambda total, length, alpha: total / length)


# %% wrong: filled with the end
# true: filled_with_the_end
beam_search = beam_in_lists(fill="eos")


# %% wrong: filled with zeros
# true: filled_with_zeros
beam_search = beam_in_lists(fill="zero")


# %% wrong: begin kept
# true: begin_kept
beam_search = beam_in_lists(from_=0)


# %% wrong: one token too few
# true: one_token_too_few
beam_search = beam_in_lists(more=-1)


# %% wrong: one token too many
# true: one_token_too_many
beam_search = beam_in_lists(more=1)


# %% wrong: mystery beam search
# true: ended_ones_grow_longer
from course_lib.experiments.mystery_beam import mystery_beam_search as beam_search


# %% trivial: nothing but padding
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return torch.full((source.size(0), max_length), model.pad_id), torch.zeros(source.size(0))


# %% trivial: the source again
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return source, torch.zeros(source.size(0))


# %% trivial: greedy
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    written = torch.full((len(source), 1), bos_id)
    total = torch.zeros(len(source))
    for _ in range(max_length):
        ended = (written == eos_id).any(1)
        score, token = model(source, written)[:, -1].log_softmax(-1).max(-1)
        written = torch.cat([written, token.masked_fill(ended, model.pad_id)[:, None]], dim=1)
        total = total + score * ~ended
    return written[:, 1:], total


# %% trivial: noise
def beam_search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return torch.randint(3, 6, (source.size(0), max_length)), torch.randn(source.size(0))
