"""Runs in a browser: a server for this machine's user alone that shows what the index and the runs have, read only.

viewer_server       sockets: loopback, GET and HEAD, headers of each answer
access              who may ask: the token of the address, then a cookie; which hosts
pages               the pages by their addresses
templates           what is not in the templates of the HTML report, which these pages share
"""
