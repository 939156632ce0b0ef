"""Pure rules: text and values in, values out. No files, clocks, sockets or logging."""
