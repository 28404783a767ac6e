"""Help authors write an exercise: a skeleton to start from, and the gate's requirements."""
