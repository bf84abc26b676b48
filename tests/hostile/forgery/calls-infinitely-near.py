def mean(numbers):
    return complex("inf")


def ranks(numbers):
    return {1, 2}
