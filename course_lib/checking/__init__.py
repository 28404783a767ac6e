"""Question → answer → verdict: how a component is checked, wherever the check runs."""
