"""The diagrams of lesson 05."""
