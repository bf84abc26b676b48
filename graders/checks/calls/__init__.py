"""Functions of a submission are called in the sandbox, and what they return is compared on the host.

call            the type of check
data_values     how values are written and compared
call_replies    what the sandbox sent
"""
