# the right work
def mean(numbers):
    return sum(numbers) / len(numbers)
