hoard = [bytearray(1 << 20) for _ in range(100_000)]
