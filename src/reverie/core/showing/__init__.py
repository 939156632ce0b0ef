"""Text from outside on its way into a prompt or onto a terminal: shown as data, never obeyed."""
