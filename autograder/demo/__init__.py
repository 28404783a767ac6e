"""Demonstrate the whole workflow, from building to the report, with a made-up class of 24 submissions."""
