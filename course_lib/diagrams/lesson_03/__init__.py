"""The diagrams of lesson 03."""
