"""The events of the package, one file each: parameters, phases, key figures, panels and words.

A file is named as its kind (``step_steer.py`` has the event ``step-steer`` and the class ``StepSteer``) and is loaded
when it is first used; nothing else has to know it. A file without a class has the key figures of a test that can be
measured but not driven yet.
"""
