"""What Reverie says to a model, and what it believes of the answer."""
