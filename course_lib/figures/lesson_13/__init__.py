"""The figures of lesson 13."""
