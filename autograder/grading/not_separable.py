"""Find exercises that may be right apart from earlier mistakes, but whose answers can't show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from course_lib.checking.formatting import number
from course_lib.checking.judge import Verdict


def not_separable(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """Yield a sentence for each exercise that lost points only because earlier mistakes hide what it does.

    There are two reasons. Over an earlier mistake, right code and some wrong code give the same answers. Or several
    earlier exercises have mistakes with names; answers are known over each of these mistakes, but not over all at once.

    Args:
        verdicts: by exercise id, in the lesson's order.
    """
    for name, verdict in verdicts.items():
        lost = verdict.max_score - verdict.score
        if verdict.carried and lost > 1e-9:
            yield (
                f"{name} is right as far as can be seen over the mistake in {verdict.carried[0]}, but its answers "
                f"don't show whether it earns the other {number(round(lost, 4))} points"
            )
        suspects = verdict.dependencies.suspects
        named = [earlier for earlier in suspects if earlier in verdicts and verdicts[earlier].misconception]
        if not verdict.passed and len(named) > 1 and not verdict.misconception:
            which = f"{', '.join(named[:-1])} and {named[-1]}"
            yield f"{name} may be right apart from the mistakes in {which}, which it builds on"
