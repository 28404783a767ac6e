"""The diagrams of lesson 12."""
