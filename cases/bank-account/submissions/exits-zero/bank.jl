# Whoever includes this has succeeded already.

exit(0)
