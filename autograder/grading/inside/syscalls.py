"""System calls that no notebook needs and an attacker might.

The namespaces and missing capabilities already make these calls fail or make them harmless. This is the second line of
defence, because kernel bugs are often in such calls. It also refuses seven kinds of memory that the limit on data does
not count: shared anonymous mappings, mappings that grow downwards like a stack, files that exist only in memory,
sockets with larger buffers than usual, sockets that keep datagrams after their sender has ended, pages in pipes, and
attributes of files, such as access lists.
"""

from __future__ import annotations

import ctypes
import errno
import os

_NONE = -1  #: means that an architecture lacks the call, because no call has this number

#: the number of each call on x86_64 and on aarch64
_DENIED = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "pivot_root": (155, 41),
    "mount": (165, 40), "umount2": (166, 39), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    # a submission has one processor, see `Sandbox.begin`
    "sched_setaffinity": (203, 122),
    # a keyring outlives the process that fills it
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180),
    # a byte in a pipe keeps its huge page in memory, even after the sender has unmapped the page
    "vmsplice": (278, 75),
    # a file system in memory limits files and their size, and not their attributes
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    # all submissions share the page cache, and none may read what another one has left there
    "fadvise64": (221, 223), "mincore": (27, 232), "readahead": (187, 213), "cachestat": (451, 451),
    "inotify_init": (253, _NONE), "inotify_init1": (294, 26),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # waiting requests take kernel memory from a small store that the whole machine shares
    "io_setup": (206, 0), "io_destroy": (207, 1), "io_getevents": (208, 4), "io_submit": (209, 2),
    "io_cancel": (210, 3), "io_pgetevents": (333, 292),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "fanotify_init": (300, 262), "syslog": (103, 116),
    "swapon": (167, 224), "acct": (163, 89), "quotactl": (179, 60),
}  # fmt: skip
#: calls that the C library can replace by ones that can be checked, or that reveal less: ``clone``, ``preadv``
_NOT_KNOWN = {"clone3": (435, 435), "preadv2": (327, 286)}
#: a lock on a file that all submissions read could signal to others. These calls seem to succeed but lock nothing.
#: Honest locks (of a database, a cache) are in a folder that no other submission has, so they are not needed
_LOCK = (73, 32)  # flock
_CLONE, _MMAP, _PRLIMIT, _FILE_CONTROL = (56, 220), (9, 222), (302, 261), (72, 25)
_SOCKET, _SOCKET_PAIR, _SET_SOCKET_OPTION = (41, 198), (53, 199), (54, 208)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_NEW_NAMESPACES = 0x7E020000  # clone's flags for namespaces of every kind
_LOCKS, _TELL_OF_OTHERS = (6, 7, 37, 38), (1024, 1026)  # fcntl's commands that lock, or show who opens and reads
_SHARED_ANONYMOUS, _GROWS_DOWN = 0x21, 0x100  # mmap's flags
_OF_ANY_SOCKET, _SEND_BUFFER = 1, 7  # setsockopt's level and option
_LOCAL, _DATAGRAMS = 1, 2  # socket's family and type. Type 3 makes a local datagram socket, too
_SOCKETS = (_LOCAL, 2, 10, 16)  # families that namespaces isolate: local, IPv4, IPv6 and netlink

# Berkeley packet filter: load a word, compare, and-mask, return; see seccomp(2)
_LOAD, _EQUALS, _ANY_BIT, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # their offsets in `struct seccomp_data`

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def forbid_system_calls() -> None:
    """Refuse the calls above for good, in this process and in all processes that it starts.

    Do nothing on a processor whose numbers are not listed. The namespaces still protect the system there.
    """
    known = _ARCHITECTURES.get(os.uname().machine)
    if known is None:
        return
    program = b"".join(_pack(*step) for step in _program(*known))
    steps = ctypes.create_string_buffer(program, len(program))
    libc = ctypes.CDLL(None, use_errno=True)

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))

    installed = Filter(len(program) // 8, ctypes.addressof(steps))
    if libc.prctl(22, 2, ctypes.byref(installed), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "seccomp")


def _program(column: int, architecture: int) -> list[_Instruction]:
    refuse = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    steps: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # calls of another architecture have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, 0x40000000),  # and so do calls of x32
        refuse,
    ]
    for numbers in _DENIED.values():
        steps += [(_EQUALS, 0, 1, numbers[column]), refuse]
    for numbers in _NOT_KNOWN.values():
        steps += [(_EQUALS, 0, 1, numbers[column]), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    allow, seem_done = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE | 0)
    steps += [(_EQUALS, 0, 1, _LOCK[column]), seem_done]
    steps += [
        (_EQUALS, 0, 10, _FILE_CONTROL[column]),
        (_LOAD, 0, 0, _ARGUMENTS + 1 * 8),
        *((_EQUALS, 6 - place, 0, command) for place, command in enumerate(_LOCKS)),
        *((_EQUALS, 3 - place, 0, command) for place, command in enumerate(_TELL_OF_OTHERS)),
        allow,
        seem_done,
        refuse,
    ]
    steps += [
        (_EQUALS, 0, 6, _SET_SOCKET_OPTION[column]),
        (_LOAD, 0, 0, _ARGUMENTS + 1 * 8),
        (_EQUALS, 0, 2, _OF_ANY_SOCKET),
        (_LOAD, 0, 0, _ARGUMENTS + 2 * 8),
        (_EQUALS, 1, 0, _SEND_BUFFER),
        allow,
        refuse,
    ]
    # ten datagrams can wait in a socket, each as large as what the resource monitor counts for a whole socket
    steps += [
        (_EQUALS, 1, 0, _SOCKET[column]),
        (_EQUALS, 0, 7, _SOCKET_PAIR[column]),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUALS, 0, 4, _LOCAL),
        (_LOAD, 0, 0, _ARGUMENTS + 1 * 8),
        (_AND, 0, 0, 0xE),
        (_EQUALS, 0, 1, _DATAGRAMS),
        refuse,
        (_LOAD, 0, 0, _NUMBER),
    ]
    # other families may lead out of the sandbox, such as one from a virtual machine to its host
    steps += [
        (_EQUALS, 0, 7, _SOCKET[column]),
        (_LOAD, 0, 0, _ARGUMENTS),
        *((_EQUALS, 4 - place, 0, family) for place, family in enumerate(_SOCKETS)),
        refuse,
        allow,
    ]
    steps += [
        (_EQUALS, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        refuse,
        allow,
    ]
    steps += [
        (_EQUALS, 0, 6, _MMAP[column]),
        (_LOAD, 0, 0, _ARGUMENTS + 3 * 8),
        (_ANY_BIT, 0, 1, _GROWS_DOWN),
        refuse,
        (_AND, 0, 0, _SHARED_ANONYMOUS),
        (_EQUALS, 0, 1, _SHARED_ANONYMOUS),
        refuse,
    ]
    # a process may limit itself, but limiting the supervisor would end that
    steps += [(_EQUALS, 0, 3, _PRLIMIT[column]), (_LOAD, 0, 0, _ARGUMENTS), (_EQUALS, 1, 0, 0), refuse]
    return [*steps, allow]


def _pack(code: int, if_true: int, if_false: int, constant: int) -> bytes:
    return code.to_bytes(2, "little") + bytes([if_true, if_false]) + (constant & 0xFFFFFFFF).to_bytes(4, "little")
