"""How each language asks to remember: the pieces of a request, put together in `request_words`."""
