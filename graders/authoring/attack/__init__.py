"""Ready-made cheats against a case, graded like submissions: which of them pass, and what to change in the case.

surface        the files that a submission of the case brings, and the data that its graders read
programs       the programs of the cheats, from cheats/<family>/<name>.<suffix>, adapted to these files
planting       additional files that a cheat brings
battery        all cheats, each as a submission, or with the reason why it does not fit
attempts       the gradings of an attack, and the outcome of each cheat
remedies       what an author should change if a cheat passes

A cheat uses what the author's files say about the case, never what the reference does: it solves nothing.
"""
