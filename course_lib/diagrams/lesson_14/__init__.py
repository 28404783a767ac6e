"""The diagrams of lesson 14."""
