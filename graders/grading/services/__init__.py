"""The services of a case, such as a database: each in its own container, in one network with the sandbox.

planned          the commands of one service
background       a command that runs until it is ended
running_service  a running service, and commands beside it
group            all services of a case: start, wait until ready, reset, watch and end them
leasing          which group a submission gets
"""
