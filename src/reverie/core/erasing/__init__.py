"""Erasing: where words to be erased occur, texts without them, and receipts."""
