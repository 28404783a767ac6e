"""The diagrams of lesson 13."""
