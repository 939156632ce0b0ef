"""Context files on the disk: discovery, trust, git's index, and the scan on the way in."""
