def letters(text):
    return set(text)


def mean(numbers):
    return sum(numbers) / len(numbers)


# @canary@
