"""The head of road property files in SI units, for tests that write such files."""

HEAD = """[MDI_HEADER]
FILE_TYPE = 'rdf'
FILE_VERSION = 12
FILE_FORMAT = 'ASCII'
[UNITS]
LENGTH = 'meter'
ANGLE = 'radian'
FORCE = 'newton'
MASS = 'kg'
TIME = 'second'
"""
