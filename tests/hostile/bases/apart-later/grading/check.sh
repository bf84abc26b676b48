candidate python3 report.py 3 || exit 1
# In the workspace, the submission may have made a file of that name.
seq 0 2 > "$TMPDIR/expected.txt"
cmp -s out.txt "$TMPDIR/expected.txt"
