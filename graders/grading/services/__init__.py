"""The services of a case, such as a database: each in a container of its own, in one network with the sandbox.

planned          what will run for one of them
background       a command that runs until it is ended
running_service  one that runs, and what can be done beside it
group            all of a case: started, ready, reset, found dead or alive, ended
leasing          which group a submission gets
"""
