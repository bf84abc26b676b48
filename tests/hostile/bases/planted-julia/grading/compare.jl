using Test

@test ARGS[1] == "ada-lovelace"
