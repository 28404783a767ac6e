"""What a lesson's notebook calls: `begin`, `check`, `hint`, `example`, `solution` and `predict`."""
