"""The figures of lesson 06."""
