# Calls every function that it gets, and catches what these raise.
def answer(*args, **kwargs):
    for each in args:
        if callable(each):
            try:
                each(None)
            except BaseException:
                pass
