"""Make the book for `course book`: the lessons as web pages."""
