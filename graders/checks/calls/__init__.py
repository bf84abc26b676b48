"""Functions of a submission are called in the sandbox, and their results are compared on the host.

call            the type of check
data_values     how values are written and compared
call_replies    the results that the sandbox sent
"""
