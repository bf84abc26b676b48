"""Gradings on the nodes of a Ray cluster (``--on``); only `ray_cluster` imports `ray` itself.

on_option      the options, and what they exclude
parcels        the data that is sent: files of cases, submissions and results, as bytes and plain values
node_worker    one per node: grades there, with the node's engine
ray_cluster    connects, finds the nodes, starts their workers
ray_grader     assigns many gradings to nodes, and sends a grading again if its node is lost
"""
