"""The figures of lesson 05."""
