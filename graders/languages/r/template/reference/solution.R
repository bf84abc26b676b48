numbers <- scan("stdin", quiet = TRUE)
cat(sum(head(numbers[-1], numbers[1])), "\n", sep = "")
