"""The diagrams of lesson 02."""
