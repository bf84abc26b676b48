"""Parses command lines: the program that a command starts, its launchers, and the file that the program runs.

The code for loading, stdin, images, integrity and adapters uses it. `launchers` and `interpreters` are tables of known
programs, `invocations` finds every program of a command, and `command_line` parses one simple command, which an adapter
may rewrite.
"""
