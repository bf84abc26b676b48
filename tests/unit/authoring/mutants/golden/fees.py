def f(a, b=3):
    """Doc."""
    if a < b and a:
        raise ValueError("x")
    for i in range(a):
        break
    g(a, b)
    return x[1:a]
