numbers <- scan("stdin", quiet = TRUE)
cat(sum(abs(head(numbers[-1], numbers[1]))), "\n", sep = "")
