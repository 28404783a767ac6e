"""A trained translator as one page that anyone can open; `translator.page` and `real_text.page` fill it in."""
