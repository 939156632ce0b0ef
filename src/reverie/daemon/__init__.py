"""The daemon: memory over HTTP and server-sent events, for programs and pages on this machine."""
