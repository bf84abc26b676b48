"""Grades: turns a case and a submission into a verdict.

prepare        case and submission -> plan; `planner` turns commands into steps and stages
execute        plan -> observations, in a throwaway sandbox; `artifacts` are the files that commands make
baseline       in doubt, the same without the submission; `author_mistakes` finds what the case lacks
judge          plan and observations -> verdict
grade          all of these steps for one submission; `grader` is the Python interface, `task` its input
settings       what gradings share; `open_sandboxes` opens their sandboxes, and ends gradings
many           how many gradings run at a time, in which order, and sandboxes made ahead for them
capacity       what fits into a sandbox, and how many sandboxes fit onto an engine
fingerprint    hashes that tell whether two gradings have the same inputs
image_choice   the image of a case that names none
case_images    the images that cases describe
internal_error the report of an error in gradebox
"""
