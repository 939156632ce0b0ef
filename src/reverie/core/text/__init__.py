"""Words, stems, scripts, stop words, dates, values: what every rule needs to know about plain text."""
