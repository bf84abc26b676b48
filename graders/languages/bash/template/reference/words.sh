# Prints how many words standard input has.
count=0
while read -r -a words || [ "${#words[@]}" -gt 0 ]; do
    count=$((count + ${#words[@]}))
done
echo "$count"
