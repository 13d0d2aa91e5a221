"""Test rigs: virtual benches for parts of a car, and models identified from what real benches measured."""
