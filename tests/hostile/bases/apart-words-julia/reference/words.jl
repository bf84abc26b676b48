average(values) = sum(values) / length(values)
letters(text) = Set(text)
lead(text) = lowercase(first(text, 3))

# @canary@
