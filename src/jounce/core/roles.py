"""What a state, coordinate or memory does at rest and in steady running; said where it is declared.

| role      | at rest                                              | in steady running            |
|-----------|------------------------------------------------------|------------------------------|
| balance   | unknown, found so that everything stands still       | unknown, found               |
| zero      | zero                                                 | zero                         |
| trim      | unknown, found, as balance                           | stays as it is               |
| held      | stays as it is given                                 | stays as it is given         |
| free      | anything, and it may move                            | anything, and it may move    |
| swing     | given: how units of a train stand to each other      | unknown, found               |
| place     | given: where a body stands in the plane              | moves along                  |
| speed     | zero                                                 | given: the speed along       |
| drift     | zero                                                 | unknown, found               |
| strain    | follows a displacement of the bodies in the plane    | unknown, found               |
| stick     | unknown while its friction can hold, else zero       | as it is                     |
| rub       | zero, unless a rig moves it there slowly             | zero                         |
| follow    | of a memory: what it becomes                         | what it becomes              |
| (none)    | must not move, or the search fails and names it      | must not move                |

``trim`` is what is adjusted while a vehicle is put on its wheels and then left alone. ``balance`` of a coordinate
means that its acceleration vanishes, of any other state that its rate does. ``strain`` and ``stick`` come with
expressions (``Scope.strained``, ``Scope.sticks``): the speed that strains a contact while nothing leaks, and speed and
largest force of a friction element. ``Scope.rolls`` says which speed a wheel has when it rolls freely. Statics, steady
running and starts (``jounce.sim``) know states by these words only.
"""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal[
    "", "balance", "zero", "trim", "held", "free", "swing",
    "place", "speed", "drift", "strain", "stick", "rub", "follow",
]  # fmt: skip

ROLES: tuple[str, ...] = get_args(Role)
