def ours_1():
    pass
