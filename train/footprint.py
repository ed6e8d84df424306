"""What a run takes: memory and disk, in MiB. Light, so that looking at a run loads no torch."""

import os
import resource
import sys
from pathlib import Path

_MIB = 2**20


def rss_mib() -> float:
    """Memory of this process that lies in RAM, in MiB; where /proc is missing (macOS) its peak so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except FileNotFoundError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (_MIB if sys.platform == "darwin" else 1024)
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def folder_mib(path: Path) -> float:
    """Length of all files in a folder and below it, in MiB; links are not followed.

    Files that a running process deletes meanwhile count as absent, and so does a folder that is not there.
    """
    total, folders = 0, [path]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except FileNotFoundError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
                continue
            try:
                total += entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue
    return total / _MIB
