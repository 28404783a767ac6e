"""The figures of lesson 10."""
