"""The figures of lesson 12."""
