"""Questions: what they ask for, in any language, and how much of it a text says."""
