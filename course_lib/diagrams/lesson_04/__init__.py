"""The diagrams of lesson 04."""
