"""Tires: models by name, and what a wheel of a mechanism needs of them."""

from jounce.components.tire.registry import find, names, register

__all__ = ["find", "names", "register"]
