"""Many gradings at a time.

pace          how many run at a time
line          the order in which they start
spares        sandboxes that are started in advance, and removed in the background
descriptors   how many gradings the limit of open files allows
"""
