"""Registered mistakes in another style, one file a lesson: each must get the name of the registered one."""
