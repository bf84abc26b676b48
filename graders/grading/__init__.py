"""From a case and a submission to a verdict.

prepare        case and submission -> plan; `planner` turns commands into steps and stages
execute        plan -> observations, in a throwaway sandbox; `artifacts` are the files that commands make
baseline       the same without the submission, in doubt; `author_mistakes` are what the case had to bring
judge          plan and observations -> verdict
grade          all of these for one submission; `grader` is the Python interface, `task` what it grades
settings       what gradings share; `open_sandboxes` opens their sandboxes, and ends gradings
many           how many gradings run at a time, in which order, and sandboxes made ahead for them
capacity       what fits into a sandbox, and how many sandboxes fit onto an engine
fingerprint    hashes that say whether two gradings would be of the same thing
image_choice   the image of a case that names none
case_images    the images that cases say how to build
internal_error the report of an error of ours
"""
