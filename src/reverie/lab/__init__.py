"""The lab: an agent is run for real against a model that answers from a script on this machine."""
