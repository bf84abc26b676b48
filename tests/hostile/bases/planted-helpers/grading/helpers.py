def same(wanted, found):
    return wanted == found
