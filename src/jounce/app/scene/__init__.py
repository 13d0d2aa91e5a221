"""The scene: vehicles, road, cones and tire forces in three dimensions, for every page.

    from jounce.app.scene.element import Scene

    scene = Scene(view, camera="free")             # in a page; fills its container
    scene.draw(drawing_of(vehicle), frame)         # Build: a vehicle as its data say, standing
    scene.live(run_id)                             # Test: a run that goes on, newest pose first
    scene.replay(run_id, ghost=other_id)           # Review: a stored run, a second one as a ghost
    scene.cursor(1.25); scene.play(0.5); scene.pause(); scene.camera("top"); scene.arrows(False); scene.clear()

**What moves** are bodies: ``body`` and the wheels by their names. *One binary frame* (`jounce.app.scene.frame`) has the
poses of all bodies and the forces on all tires at one instant; a live run sends one per tick over
``WS /api/scene/{run}/live``, a stored run is all its frames in one answer of ``GET /api/scene/{run}/motion``. What
bodies look like is a *drawing* (`jounce.app.scene.drawing`): plain data, made from those of a vehicle;
``GET /api/scene/{run}/drawing`` has that of a run, with its road and cones.

**The shared cursor.** A scene that shows a stored run listens to and sends ``jn-cursor`` events of the document, and so
may plots, without a way over the server:

    document.dispatchEvent(new CustomEvent("jn-cursor", {detail: {time: 1.25, from: "plot-3"}}));
    document.addEventListener("jn-cursor", (event) => event.detail.time);

``from`` is who sent it, and everybody ignores their own. While a scene plays it sends one per drawn frame.
``scene.on_cursor(function)`` tells Python, at most ten times a second.

**What it shows can be read back**: ``window.jounceScene`` is the scene that was made last (``window.jounceScenes`` has
all of them, by the HTML id of their element: ``scene.name``):

    jounceScene.time                        // s, what is shown
    jounceScene.poses()                     // {body: {position: [x, y, z], quaternion: [x, y, z, w], heading}, L1: …}
    jounceScene.ghosts()                    // the same of the ghost
    jounceScene.forces()                    // {L1: {point: [x, y, z], vector: [N, N, N]}, …}
    jounceScene.shapes()                    // {body: ["mesh", …], L1: ["wheel"], …}; also "cones", "road"
    jounceScene.camera, .frames, .rate      // mode; frames drawn so far; frames per second while it moves
    jounceScene.duration, .playing

Keys, while the scene has the focus: C next camera, space play or pause, arrows left and right step, F forces.

Colours follow the page (``--jn-…`` variables of workbench.css). Lengths are metres, axes those of the vehicle and the
world (x forward, y left, z up). three.js is a copy of our own (``vendor.json``),
apart from the one that NiceGUI has with it; where it is missing the scene says so and the page goes on.
"""
