"""Markdown read and edited by span: lines, sections, code, lists, entries, frontmatter."""
