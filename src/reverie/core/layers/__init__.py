"""The layers of an agent's memory: its tree, prompt, working and semantic memory, notes and jobs."""
