"""The diagrams of lesson 09."""
