"""Adapters: this memory in the shapes that agent frameworks know. Import the one you need.

`langgraph`, `openai_agents`, `anthropic_memory`, `llama_index`, `pydantic_ai` need their framework
installed; `mem0` needs nothing.
"""
