"""Hitches: how a towed unit is coupled to the unit that tows it."""
