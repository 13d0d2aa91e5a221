"""Build: what a vehicle is made of, and changing it."""
