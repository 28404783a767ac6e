"""The figures of lesson 00."""
