"""Question → answer → verdict: how a component is checked, wherever it is checked."""
