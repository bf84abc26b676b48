"""Many gradings at a time.

pace          how many run at a time
line          in which order they begin
spares        sandboxes that are started before they are needed, and removed behind
descriptors   how many gradings the open files of this process allow
"""
