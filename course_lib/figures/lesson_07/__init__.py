"""The figures of lesson 07."""
