"""The diagrams of lesson 06."""
