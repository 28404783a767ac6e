"""The folder of a class: who may enter it, its log, and how files in it are written."""
