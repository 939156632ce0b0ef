"""What a memory does: each verb gathers, asks, decides and applies, over the ports."""
