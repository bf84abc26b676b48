"""Canned cheats against a case, graded like submissions: what of them passes, and what to change in the case.

surface        what a submission of the case brings, and what its graders read
definitions    the names that its files have to define
programs       the programs of the cheats, from cheats/<family>/<name>.<suffix>, made to fit these files
planting       files that a cheat brings beside its own
battery        all cheats, each made into a submission or not fitting
remedies       what an author does where one of them passes

A cheat knows of a case what its author's files say, never what its reference does: it solves nothing.
"""
