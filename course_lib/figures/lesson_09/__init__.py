"""The figures of lesson 09."""
