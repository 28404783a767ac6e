"""The figures of lesson 03."""
