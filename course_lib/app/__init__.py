"""The `course` command, and the verbs a student uses."""
