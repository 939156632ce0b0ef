"""One module a peer: its memory opened in a folder, filled with documents, and asked.

Rules
- An adapter runs in its peer's own environment, so it imports nothing of Reverie, and nothing before it
  is opened.
- It uses the peer as its documentation says, at its defaults. What had to be replaced is said in its first
  lines.
"""
