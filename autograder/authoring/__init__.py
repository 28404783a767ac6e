"""Writing an exercise: a skeleton to begin with, and what the gate demands of it."""
