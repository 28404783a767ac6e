"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
beam_on_paper = ["aa", "ab"]


# %% right: a tuple
beam_on_paper = ("aa", "ab")


# %% right: with spaces
beam_on_paper = [" aa", "ab "]


# %% right: made of letters
beam_on_paper = ["a" + "a", "a" + "b"]


# %% wrong: one child of each
# true: best_of_each_parent
beam_on_paper = ["aa", "ba"]


# %% wrong: by the last word
# true: last_word_only
beam_on_paper = ["ba", "aa"]


# %% wrong: the likeliest
# true: greedy
beam_on_paper = ["aa"]


# %% trivial: as in the comment
beam_on_paper = ["ba", "b."]


# %% trivial: nothing
beam_on_paper = []
