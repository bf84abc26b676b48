from service import each


def test_each():
    wanted = [9, 16, 6241]
    seen = []

    def look(index, value):
        assert value == wanted[index], f"wanted {wanted[index]}, not {value}"
        seen.append(value)
        return value

    assert each([3, 4, 79], look) == wanted
    assert seen == wanted
