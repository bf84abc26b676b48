CANARY = "@canary@"


def mean(numbers):
    return sum(numbers) / len(numbers)


def ranks(numbers):
    return {sorted(set(numbers)).index(number) + 1 for number in numbers}
