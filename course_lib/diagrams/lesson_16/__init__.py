"""The diagrams of lesson 16."""
