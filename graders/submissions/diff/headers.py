"""The operation and the paths that the lines of a git header declare together. Pure."""

from __future__ import annotations

from graders.model.patch import Operation
from graders.submissions.diff import names
from graders.submissions.diff.errors import DiffError, shown
from graders.submissions.diff.names import Side


def operation_of(fields: dict[bytes, bytes], sides: tuple[Side, Side] | None, start: int) -> Operation:
    """Return the operation of a git header with these lines."""
    found = {
        operation
        for key, operation in (
            (b"old mode", Operation.MODIFY),
            (b"new mode", Operation.MODIFY),
            (b"new file mode", Operation.CREATE),
            (b"deleted file mode", Operation.DELETE),
            (b"rename from", Operation.RENAME),
            (b"rename to", Operation.RENAME),
            (b"copy from", Operation.COPY),
            (b"copy to", Operation.COPY),
        )
        if key in fields
    }
    halves = [f"{name} {half}".encode() in fields for name in ("rename", "copy") for half in ("from", "to")]
    paired = halves[0] == halves[1] and halves[2] == halves[3] and (b"old mode" in fields) == (b"new mode" in fields)
    # Renamed or copied files may change their permissions too.
    found = found if found == {Operation.MODIFY} else found - {Operation.MODIFY}
    moded = b"new mode" in fields and found & {Operation.CREATE, Operation.DELETE}
    if len(found) > 1 or not paired or moded:
        raise DiffError("The header contradicts itself or is incomplete.", start)
    null_sides = (bool(sides and sides[0].name is None), bool(sides and sides[1].name is None))
    by_names = {(True, False): Operation.CREATE, (False, True): Operation.DELETE, (False, False): None}.get(null_sides)
    operation = next(iter(found), by_names or Operation.MODIFY)
    expected = operation if operation in (Operation.CREATE, Operation.DELETE) else None
    if (sides and by_names != expected) or null_sides == (True, True):
        raise DiffError(f"The header says {operation}, but the `---` and `+++` lines contradict it.", start)
    return operation


def paths_of(
    header: bytes, operation: Operation, fields: dict[bytes, bytes], sides: tuple[Side, Side] | None, start: int
) -> tuple[str, str]:
    """Return the old and the new path of a git patch, which every line of it that names one must agree on."""
    if operation in (Operation.RENAME, Operation.COPY):
        old, new = (names.plain_name(fields[f"{operation} {half}".encode()], start) for half in ("from", "to"))
        agree = not sides or (names.is_name(sides[0].name, old) and names.is_name(sides[1].name, new))
    else:
        common = names.header_name(header, start)
        if common is None and sides is None:
            raise DiffError(f"{shown(header)} does not name one file.", start)
        agree = common is None or all(side.name is None or names.is_name(side.name, common) for side in sides or ())
        if common is None and sides is not None:
            common = names.common_name(sides[0].name, sides[1].name, start)
        old = new = common or b""
    if not agree:
        raise DiffError("The `---` and `+++` lines name another file than the lines above them.", start)
    return names.clean(old, start), names.clean(new, start)
