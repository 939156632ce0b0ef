"""The routes, by what they are about; each is thin over `Memory`."""
