"""What students handed in: which files, and when."""
