"""The diagrams of lesson 11."""
