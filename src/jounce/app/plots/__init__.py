"""Plots of channels over time, or over another channel, for every page.

    from jounce.app.plots.element import Plots

    plots = Plots(view, editable=True)              # in a page; fills its container
    plots.show([a, b], panels)                      # runs laid over each other; the first is the reference
    plots.live(run_id, panels, end=10.0)            # a run that goes on, drawn as its rows come
    plots.on_changed(function)                      # the user changed the panels

**A panel** is plain data: ``{"title": "", "x": "", "y": ["chassis_velocities.yaw", …]}``. What stands under ``y`` is
the name of a channel, a pattern (``Tire.*_Force_Z.*``) or a signal (``signal:yaw_rate``: the best of the channels that
tell it); ``x`` is empty for time. `jounce.app.plots.layout` has the usual panels, and reads and writes layouts.

**Data** come as binary frames (`jounce.app.frames`) from ``GET /api/plots/{run}/frame``, thinned on the server so that
every pixel keeps its smallest and largest value; after a zoom what is seen comes in more detail. Cross plots get whole
rows, every so manieth where there are too many.

**The shared cursor** is that of the scene (`jounce.app.scene`): ``jn-cursor`` events of the document. All plots of a
page share it and the span of time they show.

Mouse: the pointer moves the cursor; drag zooms, Shift and drag (or the middle button) moves, the wheel zooms, a double
click shows all. Keys, while a plot has the focus: arrows move the cursor (Shift: further), + and − zoom, Home shows
all, Delete removes the plot.

**What it shows can be read back**: ``window.jouncePlots`` has all of them by the HTML id of their element:

    plots.window                            // [from, to] that is shown, s
    plots.cursor                            // s
    plots.panels[k].curves                  // [{run, channel, label, unit, value}, …]; value: at the cursor, as shown
    plots.points(k, j)                      // {x, y}: what is drawn of curve j of panel k, as shown
    plots.frames                            // pictures drawn so far

uPlot (MIT) draws axes and grid; `tools/vendor_web.py` fetches it when jounce is set up.
"""
