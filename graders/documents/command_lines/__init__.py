"""Reads command lines: which program a command starts, by what, and which file that program runs.

Loading, stdin, images, integrity and adapters all ask here. `launchers` and `interpreters` are the tables of what is
known, `invocations` finds every program of a command, and `command_line` takes the one simple command apart that an
adapter may rewrite.
"""
