"""The figures of lesson 15."""
