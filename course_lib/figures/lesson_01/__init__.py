"""The figures of lesson 01."""
