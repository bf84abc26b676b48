// Nothing is here yet.
