"""Suspension kinematics from hard points: what makes the maps of the vehicle library. Not part of the package."""
