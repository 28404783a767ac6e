"""The figures of lesson 11."""
