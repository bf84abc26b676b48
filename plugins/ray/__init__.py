"""Gradings on the nodes of a Ray cluster (``--on``); `ray` itself is imported by `ray_cluster` alone.

on_option      the options, and what they exclude
parcels        the data that is sent: files of cases, submissions and results, as bytes and plain values
node_worker    one for each node: grades there, with the node's engine
ray_cluster    connects, finds the nodes, starts their workers
ray_grader     grades many: assigns gradings to nodes, and sends one again if its node is lost
"""
