"""Find out whose a file is, because another user's files must not decide what runs or what earns points."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def trusted_users() -> frozenset[int]:
    """Return the numbers of this user, of root, and of the owner of the installed course."""
    return frozenset({os.geteuid(), 0, Path(__file__).stat().st_uid})


def other_owner(path: Path, also: frozenset[int] = frozenset()) -> str:
    """Name the owner of a file or folder, or of the link to it, unless its owner is trusted.

    Args:
        also: the numbers of further users who are trusted.

    Returns:
        The owner, such as ``kim (user number 1001)``. Empty if the owner is trusted, if there is no such file, or on
        Windows, which has no such owners.
    """
    if os.name != "posix":
        return ""
    trusted = trusted_users() | also
    with suppress(OSError):
        for found in (path.lstat(), path.stat()):
            if found.st_uid not in trusted:
                return _name(found.st_uid)
    return ""


def user_numbers(users: Iterable[str | int]) -> frozenset[int]:
    """Return the numbers of users, who are given by name or number. Leave out names that this machine doesn't know."""
    found = set[int]()
    for user in users:
        if isinstance(user, int):
            found.add(user)
        elif os.name == "posix":
            from pwd import getpwnam

            with suppress(KeyError):
                found.add(getpwnam(user).pw_uid)
    return frozenset(found)


def _name(number: int) -> str:
    from pwd import getpwuid

    try:
        return f"{getpwuid(number).pw_name} (user number {number})"
    except KeyError:
        return f"user number {number}"
