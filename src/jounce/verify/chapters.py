"""Chapters of the verification book: what they are about, and where the model that they verify ends.

The limits are part of the book: who reads that a number agrees to six digits must also read what it does not say.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chapter:
    """A chapter.

    Attributes
    ----------
    first : number from which on cases belong to it, up to the next chapter's
    title : heading
    limits : what is not verified here, and where the model ends
    """

    first: float
    title: str
    limits: str


CHAPTERS = (
    Chapter(
        1,
        "Kernel: mechanics and integration",
        "Bodies are rigid. Joints are ideal or given by tables; contact and friction are regularised, so that "
        "sticking is exact only in the limit. Methods have fixed steps: their error is known by its order, not "
        "controlled. Orders and stability are shown for smooth motion; across a jump of an input one step is of "
        "first order.",
    ),
    Chapter(
        15,
        "Tires",
        "What a formula gives is compared, not what a tire does: the book holds no measured tire. Agreement with the "
        "other program covers pure and combined slip at the nominal load; load, pressure and turn slip terms are "
        "covered by tests of the package. Transients are first order in the contact; belts above some 15 Hz are not "
        "described.",
    ),
    Chapter(
        16,
        "Roads",
        "A road is a height and a friction under each contact point; soil does not give way and water is only less "
        "friction. An uneven profile has the spectrum of its class between the wavelengths that it says.",
    ),
    Chapter(
        17,
        "Key figures",
        "Definitions are applied to signals whose answer is known. Whether a run is long or quiet enough for a "
        "figure is decided in each run, which says nan with the reason where it is not.",
    ),
    Chapter(
        18,
        "Whole cars",
        "Newton, Euler and another integrator say that the equations are solved, not that a car has been measured. "
        "Bodies are rigid but for what compliance maps describe; the step is 1 ms, so that nothing above some 80 Hz "
        "is described.",
    ),
    Chapter(
        19,
        "Statics and set-up",
        "Closed forms are for stiff or linear springs. Dry friction of suspensions holds a real car within a band of "
        "heights; the equilibrium that is found has none.",
    ),
    Chapter(
        20,
        "Suspension",
        "The car of the closed forms has linear springs and tires and upright wheels; maps of wheel travel are "
        "verified as functions, the mechanism behind them only by the cases on hinges and linkages of chapter 1. "
        "Wheels have one travel each: a suspension whose wheels share more than bars and springs is a solid axle or "
        "is described by maps.",
    ),
    Chapter(
        21,
        "Compliance",
        "Wheels give way without mass and along maps that add: load by load, no large deflections. The time in which "
        "they do so is numerical, a few milliseconds.",
    ),
    Chapter(
        22,
        "Steering",
        "Joints and friction are verified alone and the geometry on slow circles. Assistance follows its maps and "
        "has no reference of its own here. Turning a standing wheel is a regularised contact.",
    ),
    Chapter(
        23,
        "Driveline",
        "Shafts are rigid or springs; gears have an efficiency and no backlash. Maps of engines and motors are data: "
        "the book verifies what is made of them. Temperatures are not described.",
    ),
    Chapter(
        24,
        "Brakes and controllers",
        "Closed forms end where tires slide. Anti-lock, traction and stability control work there; their laws are "
        "plain, of the kind of published ones and not those of any maker, and no published trace fits them. Pads "
        "have a constant friction unless heat is switched on.",
    ),
    Chapter(
        25,
        "Aerodynamics",
        "Forces are those of a steady flow at the present speed and attitude. Gusts act at once; wakes and the flow "
        "between vehicles are not described.",
    ),
    Chapter(
        26,
        "Drivers",
        "Optimal is meant for the linear car at one speed; the schedule over speed and cornering is ours. How people "
        "drive is not verified: numbers of skills are of the order of the literature.",
    ),
    Chapter(
        27,
        "Events",
        "Courses, inputs and cycles are those of the texts named; what a test asks of a car's preparation, loading "
        "or temperature is not described.",
    ),
    Chapter(
        28,
        "Combinations of vehicles",
        "Sway is verified with linear tires and without lean, following at walking pace. Couplings have no play in "
        "these cases. Frames and drawbars are rigid.",
    ),
)


def chapter_at(number: float) -> Chapter:
    """The chapter of a case."""
    return next(item for item in reversed(CHAPTERS) if item.first <= number)
