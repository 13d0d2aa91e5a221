"""Physical constants, each defined once."""

GRAVITY = 9.80665  # m/s², standard acceleration of free fall (exact by definition)
