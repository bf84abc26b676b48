def shout(text):
    return str(text).upper()


def walk(numbers, visit):
    for number in numbers:
        visit(number * number)
    return sum(number * number for number in numbers)


# @canary@
