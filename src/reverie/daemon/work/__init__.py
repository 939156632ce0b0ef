"""Work in the background: the lane and its tasks, threads, chores, and changes made outside."""
