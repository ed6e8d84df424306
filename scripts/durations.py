"""Lengths of time as people say them."""


def duration(seconds: float) -> str:
    """A time for people, in the two largest units that it needs; short ones with tenths of a second."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    units = (("d", 86_400, "h", 3_600), ("h", 3_600, "min", 60), ("min", 60, "s", 1))
    for unit, size, smaller, part in units:
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // part} {smaller}"
    return f"{whole} s"
