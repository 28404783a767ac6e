"""The figures of lesson 16."""
