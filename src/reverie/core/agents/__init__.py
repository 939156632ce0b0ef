"""The agents we are at home in, and editing their settings byte for byte."""
