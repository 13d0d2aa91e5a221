"""The workbench: vehicles, events and runs in the browser.

    jounce app --port 8080 --no-browser --folder DIR

It holds no physics: what a page does is a call of the public interface (``jounce.load``, ``jounce.run``, `Run` …), and
the command line can do the same. The server keeps one *workbench* (`jounce.app.workbench.Workbench`); a tab of a
browser is a view of it, so that several tabs show the same things.

**A page** is a folder ``jounce/app/<name>`` with a module ``page`` that has ``PAGE = Page(…)`` (`jounce.app.pages`).
Pages are found by looking through the package. Its ``build(view)`` fills the content area with NiceGUI elements;
``view.workbench`` is the workbench, ``view.state`` a dictionary that is kept for this page in the session.

**Routes** of a page: a module ``jounce/app/<name>/api.py`` with ``router(workbench) -> fastapi.APIRouter``, mounted
below ``/api``. **Static files** in ``jounce/app/<name>/static`` are served below ``/static/<name>/``.
Token, Host and Origin are checked outside of all of this (`jounce.app.guard`).

**A run** is a folder on disk, known by its id (`jounce.app.runs`). ``workbench.runs.get(id)`` gives a `StoredRun`,
which reads channel by channel; while it goes on its rows stand in ``live.bin`` (`jounce.app.live`). Over the network
channels travel as binary frames (`jounce.app.frames`).

**Long work** is done by other processes (`jounce.app.jobs`): the page never waits.
"""
