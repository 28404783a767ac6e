"""The figures of lesson 04."""
