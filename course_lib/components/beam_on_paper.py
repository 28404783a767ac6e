"""A step of beam search, worked out on paper.

All candidates of both hypotheses compete, so the two survivors may have the same parent.
"""


def beam_on_paper() -> list[str]:
    """The hypotheses after step 2, the better one first, in the form ["ba", "b."]; a full stop is the end."""
    says = {"": {"a": 0.6, "b": 0.3, ".": 0.1}}
    says |= {"a": {"a": 0.45, "b": 0.4, ".": 0.15}, "b": {"a": 0.72, "b": 0.18, ".": 0.1}}
    kept = ["a", "b"]  # 0.6 and 0.3 are more than 0.1
    probability = {old + new: says[""][old] * says[old][new] for old in kept for new in says[old]}
    return sorted(probability, key=probability.__getitem__, reverse=True)[:2]
