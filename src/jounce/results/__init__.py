"""What a run leaves behind, and what is done with it: channels, files, key figures, comparison, report.

Arrays in, arrays out: nothing here knows how a run was made, so measured data are handled by the same objects.
"""
