"""Names for people: of signals, key figures and kinds of events."""

from __future__ import annotations

import re

from jounce.results.kinds import find

SIGNALS = {
    "steering": "Steering wheel angle",
    "hand_torque": "Steering wheel torque",
    "throttle": "Drive demand",
    "brake": "Brake demand",
    "speed": "Speed",
    "forward_speed": "Speed",
    "lateral_acceleration": "Lateral acceleration",
    "longitudinal_acceleration": "Longitudinal acceleration",
    "yaw_rate": "Yaw rate",
    "yaw": "Yaw angle",
    "roll": "Roll angle",
    "roll_rate": "Roll rate",
    "pitch": "Pitch angle",
    "side_slip": "Side slip angle",
    "x": "Position x",
    "y": "Position y",
    "height": "Body height",
}

# what key figures are about, by the first part of their names
PARTS = {
    "yaw_rate": "yaw rate",
    "ay": "lateral acceleration",
    "roll": "roll",
    "side_slip": "side slip",
    "steering": "steering wheel",
}
_WHAT = {
    "t90": "{}: response time to 90 %",
    "t_peak": "{}: peak time",
    "overshoot": "{}: overshoot",
    "steady": "{}: steady value",
    "gain": "{}: gain over steering wheel angle",
    "peak": "{}: largest value",
    "gain_low": "{}: gain at the lowest frequency",
    "bandwidth": "{}: bandwidth (−3 dB)",
    "phase_1hz": "{}: phase at 1 Hz",
    "phase": "{}: phase",
    "equivalent_time": "{}: equivalent time",
    "coherence": "{}: least coherence",
    "peak_frequency": "{}: frequency of the largest gain",
    "peak_ratio": "{}: largest gain over gain at the lowest frequency",
}


def signal(name: str, channel: str) -> str:
    """Return the name of a signal; of an angle of the body with what it is against, by the channel that gives it."""
    if name in ("roll", "pitch"):
        return f"{SIGNALS[name]} ({'to the road' if channel.endswith('_wrt_road') else 'to the horizontal'})"
    return SIGNALS[name]


def channel(name: str, description: str = "") -> str:
    """Return a title for a channel: what it is in a few words, the wheel, and the name by which it is found."""
    wheel = re.search(r"[.:_]([LR]\d+(?:_twin)?)$", name)
    text = re.sub(r"^[A-Z]\w*: ", "", description).partition(",")[0].strip()
    if not text:
        text = (name[: wheel.start()] if wheel else name).rpartition(".")[2].replace("_", " ")
    return f"{capital(text)}{f', {wheel[1]}' if wheel else ''} · {name}"


def figure(key: str, *kinds: str) -> str:
    """Return the name of a key figure of some kinds of events: ``yaw_rate_t90`` as "Yaw rate: response time to 90 %".

    The files of the events have the first word; what they leave out is put together from what all share.
    """
    for kind in kinds:
        own = find(kind).words
        if key in own:
            return own[key]
    for part, word in PARTS.items():
        rest = key.removeprefix(f"{part}_")
        if rest != key and rest in _WHAT:
            return capital(_WHAT[rest].format(word))
    return capital(key.replace("_", " "))


def event(kind: str) -> str:
    """Return the name of a kind of event: ``step_steer`` as "Step steer"."""
    return capital(kind.replace("_", " ").replace("-", " "))


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]
