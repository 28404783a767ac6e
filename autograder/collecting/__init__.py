"""From a folder of downloads to one notebook a student: whose each file is, which lesson, and what became of it."""
