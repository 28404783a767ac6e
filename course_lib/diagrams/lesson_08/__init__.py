"""The diagrams of lesson 08."""
