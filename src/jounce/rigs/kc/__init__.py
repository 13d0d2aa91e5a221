"""K&C import: measured or simulated sweeps of an axle into the maps of a vehicle."""
