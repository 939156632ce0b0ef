"""Words, their stems and scripts, stop words, dates: what every rule needs to know about plain text."""
