"""The diagrams of lesson 00."""
