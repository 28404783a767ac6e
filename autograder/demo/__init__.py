"""A class made up for the purpose: 24 submissions, and the whole path from building to the report."""
