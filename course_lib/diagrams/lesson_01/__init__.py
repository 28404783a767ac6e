"""The diagrams of lesson 01."""
