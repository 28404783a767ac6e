"""The diagrams of lesson 07."""
