# Nothing is here yet.
