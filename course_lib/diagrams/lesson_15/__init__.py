"""The diagrams of lesson 15."""
