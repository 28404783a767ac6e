"""A query and a key are turned by their positions, and the angle between them depends only on their distance."""

from __future__ import annotations

import math

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.clock_faces import face, hand

#: one pair of features of *book*'s query and of *red*'s key
QUERY, KEY = (2.0, 0.0), (1.0, 1.0)
#: the positions of the two words: before anything is turned, and in two sentences
POSITIONS = ((0, 0), (2, 1), (5, 4))
RADIUS, FACES, LENGTH = 84.0, (102.0, 300.0, 498.0), 38.0


def angle_between(query: int, key: int) -> float:
    """Return the angle from the turned key to the turned query, in radians."""
    return math.atan2(*reversed(QUERY)) + query - math.atan2(*reversed(KEY)) - key


def draw() -> Canvas:
    """Draw one pair of features, before it is turned and in two sentences with the same distance between the words."""
    degrees = [round(math.degrees(angle_between(query, key))) for query, key in POSITIONS]
    canvas = Canvas(
        330,
        "Query and key are turned, and the angle between them stays",
        "Three circles with two hands each: one pair of features of the query of “book”, (2, 0), and of the key of "
        f"“red”, (1, 1). Before they are turned, the query is {-degrees[0]} degrees behind the key, counterclockwise. "
        "With book at position 2, turned by 2 radians, and red at position 1, turned by 1, the query is "
        f"{degrees[1]} degrees ahead of the key. At positions 5 and 4 both point elsewhere, and the query is again "
        f"{degrees[2]} degrees ahead.",
    )
    for x, (query, key), between in zip(FACES, POSITIONS, degrees, strict=True):
        y = 146.0
        title = f"*book* at {query}, *red* at {key}" if query else "as they are"
        canvas.text(x, 22, title, SMALL, look="strong")
        face(canvas, x, y, RADIUS)
        for pair, position, look in ((KEY, key, ""), (QUERY, query, "mark")):
            angle = math.atan2(*reversed(pair)) + position
            hand(canvas, x, y, LENGTH * math.hypot(*pair), math.pi / 2 - angle, look)
        canvas.text(x, 256, f"{between}°".replace("-", "−"), look="strong")
    canvas.text(300, 282, "from key to query, counterclockwise", SMALL, look="soft")
    canvas.text(300, 310, "Thick: the query of *book*. Thin: the key of *red*.", SMALL, look="soft")
    return canvas
