count = int(input())
print(sum(abs(int(input())) for _ in range(count)))
