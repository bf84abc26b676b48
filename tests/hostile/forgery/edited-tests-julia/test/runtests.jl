using Test

@test true
