"""From a conversation to statements worth keeping: transcripts, the cursor, phrases, extraction."""
