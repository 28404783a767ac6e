# %% wrong: the brevity penalty is worked out sentence by sentence and averaged
# true: penalty_by_sentence
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses, {len(references)} references")
    if not hypotheses:
        return 0.0
    log_p = 0.0
    for n in range(1, max_n + 1):
        num = den = 0
        for hyp, ref in zip(hypotheses, references):
            m, t = clipped_counts(hyp, ref, n)
            num += m
            den += t
        if num == 0 or den == 0:
            return 0.0
        log_p += math.log(num / den) / max_n
    penalties = [brevity_penalty(len(hyp), len(ref)) for hyp, ref in zip(hypotheses, references)]
    return 100 * sum(penalties) / len(penalties) * math.exp(log_p)


# %% wrong: every order weighs a quarter whatever max_n is
# true: fourth_root_always
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError("The number of hypotheses and their reference(s) should be the same")
    hyp_len = sum(map(len, hypotheses))
    ref_len = sum(map(len, references))
    precisions = []
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        matches, total = sum(m for m, _ in counts), sum(t for _, t in counts)
        if not matches:
            return 0.0
        precisions.append(matches / total)
    s = sum(0.25 * math.log(p) for p in precisions)
    return 100 * brevity_penalty(hyp_len, ref_len) * math.exp(s)


# %% wrong: orders without a match are left out of the mean instead of making BLEU 0 / zip drops what has no partner instead of raising
# true: missing_references_accepted, zeros_left_out_of_the_mean
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    pairs = list(zip(hypotheses, references))
    logs = []
    for n in range(1, max_n + 1):
        matches, total = 0, 0
        for hypothesis, reference in pairs:
            found, all_of_them = clipped_counts(hypothesis, reference, n)
            matches += found
            total += all_of_them
        if matches > 0:
            logs.append(math.log(matches / total))
    if not logs:
        return 0.0
    bp = brevity_penalty(sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs))
    return 100.0 * bp * math.exp(sum(logs) / len(logs))


# %% right: a table of counts summed by torch, a product under a root instead of logarithms
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    pairs = list(zip(hypotheses, references, strict=True))  # strict: a ValueError where one side is longer
    if not pairs:
        return 0.0
    counts = torch.tensor([[clipped_counts(h, r, n) for n in range(1, max_n + 1)] for h, r in pairs])  # (N, max_n, 2)
    precisions = [m / t if t else 0.0 for m, t in counts.sum(dim=0).tolist()]
    c, r = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    return 100 * brevity_penalty(c, r) * math.prod(precisions) ** (1 / max_n)
