"""Search: texts cut into chunks, queries read, candidates ranked, and what each caller may see."""
