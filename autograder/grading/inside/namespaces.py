"""Isolate each submission in its own namespaces, which end with its first process.

`enclose` is called in a fork of the fork server, before any of the student's code is read. Run as a program, this file
checks whether the system allows all of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from .syscalls import forbid_system_calls

_NEW = {"mount": 0x20000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC = 1, 2, 4, 8
_REMOUNT, _BIND = 0x20, 0x1000
_DIE_WITH_PARENT, _DUMPABLE, _DROP_FROM_BOUNDING_SET, _NO_NEW_PRIVILEGES = 1, 4, 24, 38

#: the machine's devices, and the folder of terminals
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts")
#: the id of a user that does not exist, as which submissions run if the grader is root
_NOBODYS_ID = 61_000
#: the ids that a submission sees as its own
_INSIDE_ID = 1000

_libc = ctypes.CDLL(None, use_errno=True)


def enclose(temporary_bytes: int, hidden: Iterable[Path] = ()) -> None:
    """Isolate this process, and return in a child that is process 1 of its own namespaces.

    The caller's process stays outside, waits for the child, and ends with it.

    Args:
        temporary_bytes: the size of ``/tmp``, which is in memory.
        hidden: files that can't be read from now on. Each looks empty.
    """
    _stop_being_root()
    _prctl(_DUMPABLE, 1)  # otherwise, root would own /proc/self with the maps below
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(sum(_NEW.values())), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{_INSIDE_ID} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{_INSIDE_ID} {group} 1")
    _mount_empty("/tmp", temporary_bytes)
    _mount_empty("/dev/shm", temporary_bytes)
    for device in _DEVICES:
        _make_read_only(device)
    for file in hidden:
        _check(_libc.mount(b"/dev/null", str(file).encode(), None, _BIND, None), f"mount {file}")
    # last, because the lines above need it. Without /proc, no process finds another one's memory, environment or open
    # files
    _mount_empty("/proc", 4096, _READ_ONLY | _NO_EXEC)
    os.chdir("/tmp")
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    _renounce()


def _stop_being_root() -> None:
    """Become an ordinary user if this one is root, because the kernel does not limit root's processes."""
    if os.getuid() == 0:
        with contextlib.suppress(OSError):  # a user namespace may have no other user
            os.setgroups([])
            os.setresgid(_NOBODYS_ID, _NOBODYS_ID, _NOBODYS_ID)
            os.setresuid(_NOBODYS_ID, _NOBODYS_ID, _NOBODYS_ID)


def _renounce() -> None:
    """Give up the capabilities of a new user namespace for good."""
    _prctl(_NO_NEW_PRIVILEGES, 1)
    for capability in range(64):
        with contextlib.suppress(OSError):
            _prctl(_DROP_FROM_BOUNDING_SET, capability)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    nothing = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, nothing), "capset")
    forbid_system_calls()
    _prctl(_DUMPABLE, 0)  # no process of the submission may read or trace this one


def _mount_empty(path: str, size: int, flags: int = 0) -> None:
    """Cover a folder with an empty one in memory."""
    options = f"size={size},nr_inodes={max(size // 4096, 16)},mode=0755".encode()
    flags |= _NO_SUID | _NO_DEVICES
    _check(_libc.mount(b"tmpfs", path.encode(), b"tmpfs", flags, options), f"mount {path}")


def _make_read_only(device: str) -> None:
    """Keep everybody from setting a device's times, which others see. Writing to the device still works."""
    if os.path.exists(device):
        locked = os.statvfs(device).f_flag & (_NO_SUID | _NO_DEVICES | _NO_EXEC)
        flags = _REMOUNT | _BIND | _READ_ONLY | locked
        _check(_libc.mount(None, device.encode(), None, flags, None), f"mount {device}")


def _prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, value, 0, 0, 0), f"prctl({option})")


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    enclose(1 << 20)
    if not os.access(sysconfig.get_path("purelib"), os.R_OK | os.X_OK):
        raise PermissionError(f"{sysconfig.get_path('purelib')} cannot be read by an ordinary user")
    os.write(1, b"enclosed")
