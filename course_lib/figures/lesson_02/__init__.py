"""The figures of lesson 02."""
