"""The gradebook, the record of each submission, and the pages for students and instructors."""
