"""Gradings on the nodes of a Ray cluster (``--on``); `ray` itself is imported by `ray_cluster` alone.

on_option      the options, and what they exclude
parcels        what crosses: files of cases, submissions and results, as bytes and plain values
node_worker    one for each node: grades there, with the node's engine
ray_cluster    connects, finds the nodes, starts their workers
ray_grader     grades many: which node gets what, and what becomes of a grading whose node is lost
"""
