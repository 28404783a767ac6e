"""The diagrams of lesson 10."""
