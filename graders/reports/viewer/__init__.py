"""Shows runs in a browser: a read-only server for the user of this machine, with data of the index and the runs.

viewer_server       HTTP server: loopback, GET and HEAD, headers of each answer
access              access control: the token of the address, then a cookie; the host names
pages               the pages by address
templates           templates besides those of the HTML report, which the pages also use
"""
