"""The schema, step by step; run by `reverie postgres migrate`."""
