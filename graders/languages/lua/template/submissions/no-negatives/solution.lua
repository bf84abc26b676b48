local count = io.read("n")
local sum = 0
for _ = 1, count do
    sum = sum + math.abs(io.read("n"))
end
print(sum)
