"""What solutions have in common that few others have: a page for a person to judge, and never a score in any record."""
