"""The book: the lessons as pages to be read anywhere, made by `course book`."""
