"""The figures of lesson 14."""
