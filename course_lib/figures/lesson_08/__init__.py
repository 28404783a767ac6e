"""The figures of lesson 08."""
